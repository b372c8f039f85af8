// The verifier as a pass.
#ifndef TLC_VERIFY_TD
#define TLC_VERIFY_TD

include "mlir/Pass/PassBase.td"

def VerifySmPass : Pass<"verify-sm", "::tlc::tile::KernelOp"> {
  let summary = "prove the order of a finished sm program";
  let description = [{
    Errors for violated obligations (sync.md 3.7), remarks `not proved: ...` for
    what cannot be decided. Changes nothing.
  }];
  let options = [Option<"arch", "arch", "std::string",
                        /*default=*/"\"sm_90a\"", "target architecture">];
}

def RecordSmOrderPass : Pass<"record-sm-order", "::tlc::tile::KernelOp"> {
  let summary = "note the ordering actions for `verify-thread-order`";
}

def VerifyThreadOrderPass
    : Pass<"verify-thread-order", "::tlc::tile::KernelOp"> {
  let summary = "the thread program acts in the order of the sm program";
  let description = [{
    Runs directly after `convert-sm-to-threads`; the order was recorded by
    `record-sm-order` before it.
  }];
}

#endif // TLC_VERIFY_TD
