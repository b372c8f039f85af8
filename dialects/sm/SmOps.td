// All operations of the dialect, one family a file.
#ifndef TLC_SM_OPS_TD
#define TLC_SM_OPS_TD

include "dialects/sm/SmStructureOps.td"
include "dialects/sm/SmBarrierOps.td"
include "dialects/sm/SmAsyncOps.td"
include "dialects/sm/SmThreadOps.td"

#endif // TLC_SM_OPS_TD
