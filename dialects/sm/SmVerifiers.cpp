// Rules of sm programs that ODS cannot say: hardware ranges of single ops.
// Order between ops is the business of compiler/verify.
#include "dialects/sm/Sm.h"

using namespace mlir;
using namespace tlc::sm;

LogicalResult LaunchOp::verify() {
  if (getGrid().empty() || getGrid().size() > 3)
    return emitOpError("needs 1 to 3 grid extents");
  if (getThreadsAttr().getInt() < 1 || getThreadsAttr().getInt() > 1024)
    return emitOpError() << "has " << getThreadsAttr().getInt()
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
  if (getOffsetAttr().getInt() < 0 || getOffsetAttr().getInt() % 16 != 0)
    return emitOpError() << "offset " << getOffsetAttr().getInt()
                         << " is not a multiple of 16";
  if (getStagesAttr().getInt() < 1)
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
  if (getRegistersAttr().getInt() < 24 || getRegistersAttr().getInt() > 256 ||
      getRegistersAttr().getInt() % 8 != 0)
    return emitOpError() << getRegistersAttr().getInt()
                         << " registers: a multiple of 8 in 24..256 is needed";
  return success();
}

// PTX ISA, mbarrier.init: count 1 to 2^20 - 1.
LogicalResult MBarrierOp::verify() {
  if (getOffsetAttr().getInt() < 0 || getOffsetAttr().getInt() % 8 != 0)
    return emitOpError() << "offset " << getOffsetAttr().getInt()
                         << " is not a multiple of 8";
  if (getStagesAttr().getInt() < 1)
    return emitOpError("needs at least one stage");
  if (getCountAttr().getInt() < 1 || getCountAttr().getInt() >= (1 << 20))
    return emitOpError() << "count " << getCountAttr().getInt()
                         << " is out of range";
  return success();
}

// PTX ISA, bar: 16 barriers, thread counts in whole warps.
LogicalResult BarSyncOp::verify() {
  if (getIdAttr().getInt() < 0 || getIdAttr().getInt() > 15)
    return emitOpError() << "barrier " << getIdAttr().getInt()
                         << ": ids are 0..15";
  if (getThreadsAttr().getInt() < 32 || getThreadsAttr().getInt() % 32 != 0)
    return emitOpError() << getThreadsAttr().getInt()
                         << " threads: a multiple of 32 is needed";
  return success();
}
