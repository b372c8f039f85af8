// The thread program: what one thread of the block executes.
#ifndef TLC_SM_THREAD_OPS_TD
#define TLC_SM_THREAD_OPS_TD

include "dialects/sm/SmBase.td"

#endif // TLC_SM_THREAD_OPS_TD
