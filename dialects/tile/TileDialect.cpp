// Registration of the tile dialect and helpers on its types.
#include "dialects/tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc::tile;

#include "dialects/tile/TileDialect.cpp.inc"
#include "dialects/tile/TileEnums.cpp.inc"
#include "dialects/tile/TileInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tile/TileAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tile/TileOps.cpp.inc"
      >();
}

bool tlc::tile::hasSpace(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && isa_and_nonnull<SpaceAttr>(memref.getMemorySpace());
}

Space tlc::tile::getSpace(Type type) {
  return cast<SpaceAttr>(cast<MemRefType>(type).getMemorySpace()).getValue();
}

bool tlc::tile::isInSpace(Type type, Space space) {
  return hasSpace(type) && getSpace(type) == space;
}

Type tlc::tile::getScalarType(Type elementType) {
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return IntegerType::get(elementType.getContext(), integer.getWidth());
  return elementType;
}

MemRefType tlc::tile::getBufferType(ArrayRef<int64_t> shape, Type element,
                                    Space space) {
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         SpaceAttr::get(element.getContext(), space));
}

std::string tlc::tile::getBufferName(Value buffer) {
  if (auto arg = dyn_cast<BlockArgument>(buffer))
    if (auto kernel = dyn_cast<KernelOp>(arg.getOwner()->getParentOp()))
      return kernel.getArgName(arg.getArgNumber()).str();
  Operation *def = buffer.getDefiningOp();
  if (def)
    if (auto name = def->getAttrOfType<StringAttr>("name"))
      return name.str();
  return "buffer";
}
