// The pass from sm to the thread program.
#ifndef TLC_CONVERSION_SM_TO_THREADS_TD
#define TLC_CONVERSION_SM_TO_THREADS_TD

include "mlir/Pass/PassBase.td"

def ConvertSmToThreadsPass
    : Pass<"convert-sm-to-threads", "::tlc::tile::KernelOp"> {
  let summary = "expand tile-sized actions of sm into the program of one thread";
  let description = [{
    Fragments become arrays of the registers of a thread, shared tiles
    addresses, copies and parallel loops loops over registers, products single
    instructions. The sequence of ordering actions does not change.

    ```mlir
    sm.mbarrier_wait %full[%stage] parity %phase
    tile.copy %h[%c0, %c0] [128, 32] to %f[%c0, %c0] [128, 32] ...
    // becomes
    sm.mbar_wait %address parity %phase
    scf.for %i = ... { %v = sm.ld_shared %a : vector<2xbf16> ... } {unroll}
    ```
  }];
  let options = [Option<"uniformAddresses", "uniform-addresses", "bool", "true",
                        "shared addresses are broadcast within a warp">];
  let dependentDialects = ["::tlc::sm::SmDialect", "::tlc::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TLC_CONVERSION_SM_TO_THREADS_TD
