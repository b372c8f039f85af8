// Driver for one pass at a time over tile, ws and sm programs, for lit tests.
#include "compiler/conversion/Conversion.h"
#include "compiler/conversion/SMToThreads/SMToThreads.h"
#include "compiler/target/cuda/CudaEmitter.h"
#include "compiler/transforms/Passes.h"
#include "compiler/verify/Verify.h"
#include "dialects/sm/Sm.h"
#include "dialects/tile/Tile.h"
#include "dialects/ws/WS.h"
#ifdef TLC_TEST_PASSES
#include "test/support/mutations/Mutations.h"
#endif

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry
      .insert<tlc::tile::TileDialect, tlc::ws::WSDialect, tlc::sm::SmDialect,
              mlir::arith::ArithDialect, mlir::math::MathDialect,
              mlir::memref::MemRefDialect, mlir::scf::SCFDialect>();
  mlir::registerTransformsPasses();
  tlc::tile::registerTileTransformPasses();
  tlc::registerTlcConversionPasses();
  tlc::sm::registerSMToThreadsPasses();
  tlc::cuda::registerEmitCudaPass();
  tlc::verify::registerVerifyPasses();
#ifdef TLC_TEST_PASSES
  tlc::test::registerMutatePass();
#endif
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tlc dialect driver\n", registry));
}
