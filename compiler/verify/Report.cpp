// Printing of findings and the words for ops and places.
#include "compiler/verify/Report.h"

#include "dialects/sm/Sm.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

/// Findings after this many are not printed.
constexpr unsigned kMaxErrors = 20;

static std::optional<unsigned> findLine(Location loc) {
  std::optional<unsigned> line;
  loc->walk([&](Location part) {
    if (auto file = dyn_cast<FileLineColLoc>(part)) {
      line = file.getLine();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return line;
}

std::string tlc::verify::atLine(Operation *op) {
  if (auto line = findLine(op->getLoc()))
    return " at line " + std::to_string(*line);
  return "";
}

StringRef tlc::verify::actionName(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case<sm::WgmmaOp, sm::MmaOp>([](auto) { return "product"; })
      .Case([](tile::CopyOp) { return "copy"; })
      .Case([](tile::FillOp) { return "fill"; })
      .Case([](tile::ParallelOp) { return "element loop"; })
      .Case([](tile::CallExternOp) { return "call"; })
      .Case([](tile::StoreOp) { return "store"; })
      .Case<sm::TmaLoadOp, sm::BulkLoadOp>([](auto) { return "load"; })
      .Case([](sm::TmaStoreOp) { return "tensor store"; })
      .Case<scf::IfOp, scf::ForOp, scf::WhileOp>(
          [](auto) { return "statement"; })
      .Default([](Operation *) { return "read"; });
}

bool Reporter::isNew(Operation *at, StringRef text) {
  return silence == 0 && seen.insert({at, llvm::hash_value(text)}).second;
}

void Reporter::error(Operation *at, const Twine &text, ArrayRef<Note> notes) {
  std::string message = text.str();
  if (!isNew(at, message) || ++report.errors > kMaxErrors)
    return;
  InFlightDiagnostic diag = emitError(at->getLoc()) << message;
  for (const Note &note : notes)
    if (note.at)
      diag.attachNote(note.at->getLoc()) << note.text;
}

void Reporter::notProved(Operation *at, const Twine &text) {
  std::string message = text.str();
  if (isNew(at, message))
    report.notProved.push_back({at->getLoc(), message});
}
