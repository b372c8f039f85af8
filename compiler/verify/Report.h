// Findings of the verifier: errors become diagnostics at once, what cannot be
// decided becomes a "not proved" record. One mistake gives one error.
#ifndef TLC_COMPILER_VERIFY_REPORT_H
#define TLC_COMPILER_VERIFY_REPORT_H

#include "compiler/verify/Verify.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace tlc::verify {

/// Another place that takes part in a finding.
struct Note {
  mlir::Operation *at;
  std::string text;
};

/// How messages begin about work of all threads that some of them skip;
/// Diag::ThreadCondition has the same words.
inline constexpr llvm::StringLiteral kThreadCondition =
    "under a condition that depends on the thread, ";

/// " at line 12", or nothing if the place is not known.
std::string atLine(mlir::Operation *op);

/// What the op is to the user: "read", "product", "element loop", ...
llvm::StringRef actionName(mlir::Operation *op);

class Reporter {
public:
  explicit Reporter(VerifyReport &report) : report(report) {}

  /// An order that the program violates. Repetitions are dropped.
  void error(mlir::Operation *at, const llvm::Twine &text,
             llvm::ArrayRef<Note> notes = {});
  /// An order that the program may have but that this check cannot see.
  void notProved(mlir::Operation *at, const llvm::Twine &text);

  bool isSilent() const { return silence != 0; }
  bool hasErrors() const { return report.errors != 0; }

  /// Drops findings while it lives: for the rounds before a fixpoint.
  class Silence {
  public:
    explicit Silence(Reporter &reporter) : reporter(reporter) {
      ++reporter.silence;
    }
    ~Silence() { --reporter.silence; }

  private:
    Reporter &reporter;
  };

private:
  bool isNew(mlir::Operation *at, llvm::StringRef text);

  VerifyReport &report;
  unsigned silence = 0;
  llvm::DenseSet<std::pair<mlir::Operation *, size_t>> seen;
};

} // namespace tlc::verify

#endif // TLC_COMPILER_VERIFY_REPORT_H
