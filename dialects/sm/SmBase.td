// The `sm` dialect: what one streaming multiprocessor executes.
#ifndef TLC_SM_BASE_TD
#define TLC_SM_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "dialects/tile/TileBase.td"

def Sm_Dialect : Dialect {
  let name = "sm";
  let cppNamespace = "::tlc::sm";
  let summary = "hardware actions of one streaming multiprocessor";
  let description = [{
    One op is one tile-sized hardware action: barrier arithmetic, bulk and
    tensor copies, wgmma, fences, named barriers. Generic accesses (copies by
    threads, fills, element loops) stay `tile` ops with their layouts decided.
    There are no ring tokens: order must be rediscoverable from the barriers.

    The second half of the dialect (`SmThreadOps.td`) is the thread program:
    the same actions expanded for one thread.
  }];
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::tlc::tile::TileDialect"];
}

class Sm_Type<string name, string typeMnemonic> : TypeDef<Sm_Dialect, name> {
  let mnemonic = typeMnemonic;
}
def Sm_MBarrierType : Sm_Type<"MBarrier", "mbarrier"> {
  let summary = "an array of mbarriers in shared memory, one for each stage";
}
def Sm_CounterType : Sm_Type<"Counter", "counter"> {
  let summary = "spans of a ring that a role has executed";
}

class Sm_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sm_Dialect, mnemonic, traits>;

#endif // TLC_SM_BASE_TD
