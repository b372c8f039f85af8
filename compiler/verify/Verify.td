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

#endif // TLC_VERIFY_TD
