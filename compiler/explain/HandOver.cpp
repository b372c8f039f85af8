// What a reader asks first of a ring, in one sentence: which statement keeps a
// slot, and why its refill needs a fence or none.
#include "compiler/explain/Wording.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace tlc::explain {

/// "ld.shared (16 bytes)" is "ld.shared", "wgmma m64n32k8 tf32" is "wgmma".
static std::string listInstructions(llvm::ArrayRef<Access> accesses,
                                    bool async) {
  llvm::SetVector<StringRef> names;
  for (const Access &access : accesses) {
    if (access.async != async)
      continue;
    llvm::SmallVector<StringRef> parts;
    StringRef(access.instruction).split(parts, ", ");
    for (StringRef part : parts)
      names.insert(part.split(' ').first.split(".x").first);
  }
  return llvm::join(names, " and ");
}

static std::string describeRefill(const Ring &ring) {
  if (ring.groups)
    return "cp.async";
  return ring.writes.empty() ? "nobody"
                             : StringRef(ring.writes.front().instruction)
                                   .split(" (")
                                   .first.str();
}

/// Why the fence is there, or is not.
static std::string describeNeed(const Ring &ring, const Span &span) {
  std::string generic = listInstructions(ring.uses, /*async=*/false);
  std::string async = listInstructions(ring.uses, /*async=*/true);
  std::string refill = describeRefill(ring);
  if (ring.groups)
    return "no proxy fence, since " + refill +
           " refills it through the generic proxy, after a barrier";
  if (generic.empty() && async.empty())
    return "no fence, since nothing reads it";
  if (generic.empty())
    return "no fence, since only " + async + " reads it and " + refill +
           " refills it: both through the async proxy, and the product is "
           "waited for";
  std::string why = ", since " + generic +
                    " reads it through the generic proxy and " + refill +
                    " refills it through the async proxy";
  if (span.fence == "none")
    return "no fence" + why + ", but another wait comes before the release";
  return llvm::StringSwitch<std::string>(span.fence)
             .Case("derived", "a proxy fence by the readers")
             .Case("source", "the proxy fence of the program")
             .Case("producer", "a proxy fence by the thread that refills")
             .Case("membar", "membar.cta, which does not protect it")
             .Default("undecided") +
         why;
}

std::string describeHandOver(const Ring &ring, const Span &span) {
  StringRef kept = span.release.reason;
  std::string text = kept.consume_front("last used by ")
                         ? "kept until " + kept.str()
                         : kept.str();
  if (!span.otherReleases.empty())
    text += ", or not at all where that branch is not taken";
  return text + "; " + describeNeed(ring, span);
}

} // namespace tlc::explain
