// The one effect vocabulary from `tile` down to `sm` (sync.md 3.1).
#ifndef TLC_TILE_INTERFACES_TD
#define TLC_TILE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Tile_EffectsOpInterface : OpInterface<"EffectsOpInterface"> {
  let cppNamespace = "::tlc::tile";
  let description = [{
    What an op does to buffers, answered for the instruction that was chosen:
    resource, read or write, proxy, completion. Ops with regions answer for
    themselves only; walk the region for the rest.
  }];
  let methods = [
    InterfaceMethod<[{
        Appends the effects of this op, regions not included.
      }],
      "void", "getTileEffects",
      (ins "::llvm::SmallVectorImpl<::tlc::tile::Effect> &":$effects)>,
  ];
}

#endif // TLC_TILE_INTERFACES_TD
