// Enumerations of the ws dialect.
#ifndef TLC_WS_ENUMS_TD
#define TLC_WS_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def WS_FenceKindEnum : I32Enum<"FenceKind", "what a fence orders", [
  I32EnumCase<"ProxyAsync", 0, "proxy_async">,
  I32EnumCase<"Membar", 1, "membar">]> {
  let cppNamespace = "::tlc::ws";
}

#endif // TLC_WS_ENUMS_TD
