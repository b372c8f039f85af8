// Names of the levers.
#include "compiler/support/Levers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tlc {

static constexpr LeverText kLevers[] = {
    {Lever::TransposeProduct, "transpose-product",
     "products of few rows are computed transposed, so that wgmma takes them"},
    {Lever::RegisterOperand, "register-operand",
     "an operand A that wgmma cannot read in shared memory goes through "
     "registers"},
    {Lever::Renumber, "renumber",
     "rows, columns and K of products are numbered so that a thread's elements "
     "are neighbours in memory"},
    {Lever::RingDepth, "ring-depth",
     "rings may have more slots than num_stages asks for"},
    {Lever::RingProducers, "ring-producers",
     "each ring is filled by a warp of its own"},
    {Lever::EarlyRelease, "early-release",
     "a slot is released inside the branch that uses it last"},
    {Lever::ReadAhead, "read-ahead",
     "a slot that threads load into a fragment is loaded one turn early"},
    {Lever::PrefetchGuards, "prefetch-guards",
     "flags that guard statements of a pipelined turn are loaded one turn "
     "ahead"},
    {Lever::GuardLoads, "guard-loads",
     "a tile that is used under a flag only is loaded under that flag"},
    {Lever::StagedStore, "staged-store",
     "a fragment that a pipelined loop stores goes through shared memory and "
     "TMA"},
    {Lever::MergeFences, "merge-fences",
     "a proxy fence that a later one makes redundant is dropped"},
    {Lever::UniformAddresses, "uniform-addresses",
     "shared addresses are broadcast within a warp, into uniform registers"},
};

llvm::ArrayRef<LeverText> allLevers() { return kLevers; }

std::string LeverSet::disabledText() const {
  std::string text;
  for (const LeverText &entry : kLevers)
    if (!isOn(entry.lever))
      text += (text.empty() ? "" : ",") + entry.name.str();
  return text;
}

std::optional<LeverSet> LeverSet::parse(llvm::StringRef disabled,
                                        std::string &unknown) {
  LeverSet set;
  llvm::SmallVector<llvm::StringRef> names;
  disabled.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : names) {
    const LeverText *found = llvm::find_if(
        kLevers, [&](const LeverText &entry) { return entry.name == name; });
    if (found == std::end(kLevers)) {
      unknown = name.str();
      return std::nullopt;
    }
    set.disable(found->lever);
  }
  return set;
}

} // namespace tlc
