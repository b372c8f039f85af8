// Registration of the sm dialect.
#include "dialects/sm/Sm.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc::sm;

#include "dialects/sm/SmDialect.cpp.inc"
#include "dialects/sm/SmEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/sm/SmAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/sm/SmTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/sm/SmOps.cpp.inc"

void SmDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/sm/SmAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/sm/SmTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/sm/SmOps.cpp.inc"
      >();
}

/// The viesm of a slot are the members of its ring, in order.
static LogicalResult verifyViesm(Operation *op, Value ring,
                                 ValueRange viesm) {
  auto def = ring.getDefiningOp<RingOp>();
  if (!def)
    return op->emitOpError("ring is not defined by sm.ring");
  if (def.getMembers().getTypes() != viesm.getTypes())
    return op->emitOpError("viesm do not match the members of the ring");
  return success();
}

LogicalResult RingOp::verify() {
  if (getDepth() < 1)
    return emitOpError() << "depth " << getDepth() << " is not positive";
  if (getMembers().empty())
    return emitOpError("needs a member");
  for (Value member : getMembers())
    if (!tile::isInSpace(member, tile::Space::Shared))
      return emitOpError("members are shared buffers");
  return success();
}

LogicalResult RoleOp::verify() {
  if (getWarps().size() != 2 || getWarps()[0] < 0 || getWarps()[1] < 1)
    return emitOpError("warps are [first, count]");
  return success();
}

LogicalResult AcquireOp::verify() {
  return verifyViesm(*this, getRing(), getViesm());
}

LogicalResult WaitOp::verify() {
  return verifyViesm(*this, getRing(), getViesm());
}
