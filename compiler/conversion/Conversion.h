// Passes from `tile` to `sm` and the functions behind them.
#pragma once

#include "dialects/sm/Sm.h"
#include "dialects/tile/Tile.h"
#include "dialects/ws/WS.h"

#include "mlir/Pass/Pass.h"

namespace tlc {

/// How a generically read slot is protected from its async refill
/// (sync.md 3.4). `Membar` is known to fail and exists to reproduce a report.
enum class WarFence { Proxy, ProxyProducer, Delay, Membar };

/// The policy of `--war-fence`, or nothing for an unknown name.
std::optional<WarFence> parseWarFence(llvm::StringRef name);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/conversion/Conversion.h.inc"

} // namespace tlc
