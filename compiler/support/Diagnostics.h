// Diagnostics of the whole compiler. Each has an entry in Diagnostics.def:
// code, class, text with holes, help and an explanation. A DiagnosticEngine
// collects them and renders them as text or JSON at the end.
//
//   diags.report(Diag::UnknownName, expr->range)
//       .note(other, "defined here") << name;
//
// Positions come from the front end as llvm::SMRange and from later passes as
// file, line and column; both end up as a SourceSpan.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/SMLoc.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class SourceMgr;
class raw_ostream;
} // namespace llvm

namespace tlc {

/// What a diagnostic says about whose fault it is.
enum class DiagClass : uint8_t {
  Error,       // the program is invalid
  Unsupported, // the program is valid, tlc cannot do it yet
  Internal,    // a fault of tlc
  Warning,
  Remark,
};

/// The entries of Diagnostics.def.
enum class Diag : uint16_t {
#define TLC_DIAG(Name, Code, Class, Text, Help, Explanation) Name,
#include "compiler/support/Diagnostics.def"
#undef TLC_DIAG
};

/// An entry of Diagnostics.def. `text` and `help` have holes {0}, {1} ...
struct DiagInfo {
  Diag diag;
  llvm::StringRef name; // "UnknownName"
  llvm::StringRef code; // "TL0304"
  DiagClass diagClass;
  llvm::StringRef text;
  llvm::StringRef help; // empty if there is no general advice
  llvm::StringRef explanation;
};

const DiagInfo &info(Diag diag);
/// All entries in the order of the file.
llvm::ArrayRef<DiagInfo> allDiagnostics();
/// The entry with that code ("TL0304", any case) or null.
const DiagInfo *findDiagnostic(llvm::StringRef code);
/// "error", "unsupported", "internal error", "warning", "remark".
llvm::StringRef label(DiagClass diagClass);

/// A place in a source file. Lines and columns count from 1, columns in bytes;
/// the end is exclusive. line 0 means that only the file is known; an empty
/// file, that nothing is.
struct SourceSpan {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  unsigned endLine = 0;
  unsigned endColumn = 0;
};

/// The span of a range in one of the buffers of `sources`.
SourceSpan sourceSpan(const llvm::SourceMgr &sources, llvm::SMRange range);

/// A finished message. `span` of a note may be empty.
struct DiagNote {
  SourceSpan span;
  std::string text;
};
struct Diagnostic {
  Diag diag;
  SourceSpan span;
  std::string text;
  std::vector<DiagNote> notes;
  std::vector<std::string> help;

  llvm::StringRef code() const { return info(diag).code; }
  DiagClass diagClass() const { return info(diag).diagClass; }
  /// Error, Unsupported and Internal make a compilation fail.
  bool isError() const { return diagClass() <= DiagClass::Internal; }
};

/// The shortest decimal text that reads back as `value`.
std::string shortestText(double value);

class DiagnosticEngine;

/// Fills the holes of a report, in order, and adds notes and help. Hands the
/// diagnostic to the engine when it is destroyed, at the end of the statement.
/// Converts to failure, so that `return diags.report(...) << x;` works.
class DiagnosticBuilder {
public:
  DiagnosticBuilder(DiagnosticEngine &engine, Diag diag, SourceSpan span);
  DiagnosticBuilder(DiagnosticBuilder &&other) noexcept;
  DiagnosticBuilder(const DiagnosticBuilder &) = delete;
  DiagnosticBuilder &operator=(const DiagnosticBuilder &) = delete;
  DiagnosticBuilder &operator=(DiagnosticBuilder &&) = delete;
  ~DiagnosticBuilder();

  /// Fills the next hole: text, integer or double.
  template <typename T> DiagnosticBuilder &operator<<(const T &value) & {
    addHole(value);
    return *this;
  }
  template <typename T> DiagnosticBuilder &&operator<<(const T &value) && {
    addHole(value);
    return std::move(*this);
  }

  /// Adds a note at another place, or without one.
  DiagnosticBuilder &note(llvm::SMRange range, const llvm::Twine &text) &;
  DiagnosticBuilder &note(SourceSpan span, const llvm::Twine &text) &;
  DiagnosticBuilder &note(const llvm::Twine &text) &;
  /// Adds a line of help before the general one of the entry.
  DiagnosticBuilder &help(const llvm::Twine &text) &;
  /// Adds "did you mean '...'?" if a candidate is near `name`.
  DiagnosticBuilder &suggest(llvm::StringRef name,
                             llvm::ArrayRef<llvm::StringRef> candidates) &;

  DiagnosticBuilder &&note(llvm::SMRange range, const llvm::Twine &text) && {
    return std::move(note(range, text));
  }
  DiagnosticBuilder &&note(SourceSpan span, const llvm::Twine &text) && {
    return std::move(note(std::move(span), text));
  }
  DiagnosticBuilder &&note(const llvm::Twine &text) && {
    return std::move(note(text));
  }
  DiagnosticBuilder &&help(const llvm::Twine &text) && {
    return std::move(help(text));
  }
  DiagnosticBuilder &&suggest(llvm::StringRef name,
                              llvm::ArrayRef<llvm::StringRef> candidates) && {
    return std::move(suggest(name, candidates));
  }

  operator llvm::LogicalResult() const { return llvm::failure(); }
  template <typename T> operator llvm::FailureOr<T>() const {
    return llvm::failure();
  }

private:
  template <typename T> void addHole(const T &value) {
    if constexpr (std::is_same_v<T, bool>)
      holes.push_back(value ? "True" : "False");
    else if constexpr (std::is_same_v<T, char>)
      holes.push_back(std::string(1, value));
    else if constexpr (std::is_floating_point_v<T>)
      holes.push_back(shortestText(value));
    else
      holes.push_back(llvm::Twine(value).str());
  }

  DiagnosticEngine *engine; // null once moved from
  Diagnostic diagnostic;
  llvm::SmallVector<std::string, 4> holes;
};

/// Collects the diagnostics of one compilation. Not thread-safe.
class DiagnosticEngine {
public:
  /// Errors kept; later ones are only counted.
  static constexpr unsigned kMaxErrors = 20;

  explicit DiagnosticEngine(const llvm::SourceMgr &sources)
      : sources(sources) {}

  DiagnosticBuilder report(Diag diag, llvm::SMRange range);
  /// For positions that are known only as file, line and column, and, with an
  /// empty span, for problems without a position.
  DiagnosticBuilder report(Diag diag, SourceSpan span = {});
  /// Takes a finished diagnostic. One that repeats an earlier one at the same
  /// place is dropped: a statement may be elaborated more than once.
  void add(Diagnostic diagnostic);

  bool hasErrors() const { return numErrors != 0; }
  unsigned errorCount() const { return numErrors; }
  /// Has as many errors as are shown: time to give up.
  bool isFull() const { return numErrors >= kMaxErrors; }
  llvm::ArrayRef<Diagnostic> diagnostics() const { return list; }
  const llvm::SourceMgr &sourceManager() const { return sources; }

  /// Prints all of them with source lines; colours if `os` has them.
  void print(llvm::raw_ostream &os) const;
  /// Prints a JSON array with the same fields, one object a diagnostic.
  void printJSON(llvm::raw_ostream &os) const;

private:
  const llvm::SourceMgr &sources;
  std::vector<Diagnostic> list;
  unsigned numErrors = 0;
};

/// The candidate nearest to `name` by edit distance, or an empty string if none
/// is close enough to be what was meant. The first of equally near ones wins.
llvm::StringRef nearestName(llvm::StringRef name,
                            llvm::ArrayRef<llvm::StringRef> candidates);

/// Text with holes {0} {1} ... replaced; other braces stay.
std::string fillHoles(llvm::StringRef text, llvm::ArrayRef<std::string> holes);

} // namespace tlc
