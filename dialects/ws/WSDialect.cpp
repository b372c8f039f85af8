// Registration and verifiers of the ws dialect.
#include "dialects/ws/WS.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc::ws;

#include "dialects/ws/WSDialect.cpp.inc"
#include "dialects/ws/WSEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/ws/WSAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/ws/WSTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/ws/WSOps.cpp.inc"

void WSDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/ws/WSAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/ws/WSTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/ws/WSOps.cpp.inc"
      >();
}

/// The views of a slot are the members of its ring, in order.
static LogicalResult verifyViews(Operation *op, Value ring, ValueRange views) {
  auto def = ring.getDefiningOp<RingOp>();
  if (!def)
    return op->emitOpError("ring is not defined by ws.ring");
  if (def.getMembers().getTypes() != views.getTypes())
    return op->emitOpError("views do not match the members of the ring");
  return success();
}

LogicalResult RingOp::verify() {
  if (getDepthAttr().getInt() < 1)
    return emitOpError() << "depth " << getDepthAttr().getInt()
                         << " is not positive";
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
  return verifyViews(*this, getRing(), getViews());
}

LogicalResult WaitOp::verify() {
  return verifyViews(*this, getRing(), getViews());
}
