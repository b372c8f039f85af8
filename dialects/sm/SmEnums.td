// Enumerations of the sm dialect.
#ifndef TLC_SM_ENUMS_TD
#define TLC_SM_ENUMS_TD

include "mlir/IR/EnumAttr.td"

#endif // TLC_SM_ENUMS_TD
