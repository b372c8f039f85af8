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
