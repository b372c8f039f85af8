// Finds the body of a function in CUDA text and looks for fences in it.
#include "compiler/conversion/TileToWS/Helpers.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tlc;

/// The text from an opening bracket at `at` to the one that closes it; empty if
/// there is none.
static StringRef takeBracketed(StringRef text, size_t at, char open,
                               char close) {
  int depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    depth += text[i] == open;
    depth -= text[i] == close;
    if (depth == 0)
      return text.slice(at, i + 1);
  }
  return {};
}

static bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The body of the definition of `name`: "name(...) {...}".
static StringRef findBody(StringRef text, StringRef name) {
  for (size_t at = text.find(name); at != StringRef::npos;
       at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if ((at > 0 && isWord(text[at - 1])) || end >= text.size() ||
        text[end] != '(')
      continue;
    size_t brace = end + takeBracketed(text, end, '(', ')').size();
    brace = text.find_first_not_of(" \t\r\n", brace);
    if (brace != StringRef::npos && text[brace] == '{')
      return takeBracketed(text, brace, '{', '}');
  }
  return {};
}

HelperFence tlc::findHelperFence(tile::CallExternOp call) {
  StringRef text = call.getCallee();
  if (!text.starts_with("__threadfence")) {
    auto kernel = call->getParentOfType<tile::KernelOp>();
    text = findBody(kernel.getPrelude().value_or(""), text);
  }
  if (text.contains("fence.proxy.async"))
    return HelperFence::Proxy;
  for (StringRef fence :
       {"membar.", "fence.acq_rel.", "fence.sc.", "__threadfence"})
    if (text.contains(fence))
      return HelperFence::Thread;
  return HelperFence::None;
}

SmallVector<tile::CallExternOp> tlc::findThreadFences(Operation *first,
                                                      Operation *last) {
  SmallVector<tile::CallExternOp> calls;
  for (Operation *op = first; op; op = op->getNextNode()) {
    auto call = dyn_cast<tile::CallExternOp>(op);
    if (call && findHelperFence(call) == HelperFence::Thread)
      calls.push_back(call);
    if (op == last)
      break;
  }
  return calls;
}
