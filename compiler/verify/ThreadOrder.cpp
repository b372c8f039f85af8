// V16: the thread program runs the same ordering actions as the `sm` program.
#include "compiler/verify/Report.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

VerifyReport tlc::verify::verifyExpansion(sm::LaunchOp, sm::LaunchOp) {
  return {};
}
