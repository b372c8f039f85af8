// Rules of sm programs that ODS cannot say: hardware ranges of single ops.
// Order between ops is the business of compiler/verify.
#include "dialects/sm/Sm.h"

using namespace mlir;
using namespace tlc::sm;

LogicalResult LaunchOp::verify() {
  if (getGrid().empty() || getGrid().size() > 3)
    return emitOpError("needs 1 to 3 grid extents");
  if (getThreads() < 1 || getThreads() > 1024)
    return emitOpError() << "has " << getThreads()
                         << " threads, a block has 1 to 1024";
  if (getProgramThreads().size() != 3)
    return emitOpError("needs 3 program thread extents");
  if (getBody().getNumArguments() != getGrid().size())
    return emitOpError("needs one block index for each grid extent");
  return success();
}

LogicalResult SharedOp::verify() {
  if (!tile::isInSpace(getResult(), tile::Space::Shared))
    return emitOpError("result is a shared buffer");
  if (getOffset() < 0 || getOffset() % 16 != 0)
    return emitOpError() << "offset " << getOffset()
                         << " is not a multiple of 16";
  if (getStages() < 1)
    return emitOpError("needs at least one stage");
  return success();
}

LogicalResult RoleOp::verify() {
  if (getWarps().size() != 2 || getWarps()[0] < 0 || getWarps()[1] < 1)
    return emitOpError("warps are [first, count]");
  return success();
}

// PTX ISA, setmaxnreg: 24 to 256 in steps of 8.
LogicalResult SetMaxNRegOp::verify() {
  if (getRegisters() < 24 || getRegisters() > 256 || getRegisters() % 8 != 0)
    return emitOpError() << getRegisters()
                         << " registers: a multiple of 8 in 24..256 is needed";
  return success();
}

// PTX ISA, mbarrier.init: count 1 to 2^20 - 1.
LogicalResult MBarrierOp::verify() {
  if (getOffset() < 0 || getOffset() % 8 != 0)
    return emitOpError() << "offset " << getOffset()
                         << " is not a multiple of 8";
  if (getStages() < 1)
    return emitOpError("needs at least one stage");
  if (getCount() < 1 || getCount() >= (1 << 20))
    return emitOpError() << "count " << getCount() << " is out of range";
  return success();
}

// PTX ISA, bar: 16 barriers, thread counts in whole warps.
LogicalResult BarSyncOp::verify() {
  if (getId() < 0 || getId() > 15)
    return emitOpError() << "barrier " << getId() << ": ids are 0..15";
  if (getThreads() < 32 || getThreads() % 32 != 0)
    return emitOpError() << getThreads()
                         << " threads: a multiple of 32 is needed";
  return success();
}
