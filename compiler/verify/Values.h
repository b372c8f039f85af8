// Integer values of a bounded run. An expression becomes a linear form over
// *atoms*: inputs and whatever cannot be computed, equal atoms for equal
// expressions in all roles. Only where control flow needs a number is one
// chosen, for the whole non-constant part at once: `n - m - 1` turns of a loop
// are one unknown, and a guard `i + 2 < n - m - 1` follows from it.
#ifndef TLC_COMPILER_VERIFY_VALUES_H
#define TLC_COMPILER_VERIFY_VALUES_H

#include "compiler/verify/Protocol.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <set>

namespace tlc::verify {

/// constant + sum of coefficient * atom.
struct Linear {
  int64_t constant = 0;
  std::map<unsigned, int64_t> terms;

  bool isConstant() const { return terms.empty(); }
  Linear &add(const Linear &other, int64_t factor = 1);
};

/// Inputs that a value is made of: parameters and tensors; null for memory that
/// the kernel writes.
using Sources = std::set<const void *>;

/// How truth values that are free are chosen.
enum class GuardPattern { True, False, Alternate, Branch };

/// The free choices of one run, enumerated depth first over runs.
class Choices {
public:
  /// `range`: the first unknown integer of a run is taken from -1 .. range.
  explicit Choices(int64_t range) : range(range) {}

  /// The number of an unknown; `truth`: 0 or 1. `minor`: its value decides
  /// nothing that another role could notice.
  /// `sources`: the inputs it is made of.
  int64_t choose(const std::string &key, bool truth, bool minor,
                 const Sources &sources);
  /// Begins the first run with this pattern.
  void reset(GuardPattern pattern);
  /// Moves to the next combination; false after the last.
  bool next();

  bool metGuards = false; ///< some truth value mattered to other roles
  /// Some of the combinations that were chosen may be impossible: two integers
  /// come from the same input, or a value was read from memory.
  bool areDoubtful() const { return doubtful; }

private:
  void restart();
  struct Point {
    std::vector<int64_t> candidates;
    size_t index = 0;
  };
  std::vector<int64_t> candidatesFor(bool truth, bool minor);

  int64_t range;
  GuardPattern pattern = GuardPattern::True;
  std::vector<Point> path;
  size_t position = 0;
  unsigned numIntegers = 0, numGuards = 0;
  Sources used;
  bool doubtful = false;
  llvm::StringMap<int64_t> current;
};

/// Atoms by expression, the same for all roles and runs.
class AtomTable {
public:
  unsigned get(const std::string &key, bool truth, const Sources &sources);
  bool isTruth(unsigned atom) const { return atoms[atom].truth; }
  const Sources &sourcesOf(unsigned atom) const { return atoms[atom].sources; }

private:
  struct Atom {
    bool truth;
    Sources sources;
  };
  llvm::StringMap<unsigned> ids;
  std::vector<Atom> atoms;
};

/// Values of one agent of one run.
class Evaluator {
public:
  Evaluator(AtomTable &atoms, Choices &choices)
      : atoms(&atoms), choices(&choices) {}

  Linear evaluate(mlir::Value value);
  /// A number for it, chosen if it has to be.
  int64_t number(const Linear &linear, bool minor = false);
  int64_t number(mlir::Value value, bool minor = false) {
    return number(evaluate(value), minor);
  }
  void bind(mlir::Value value, Linear linear) {
    known[value] = std::move(linear);
  }
  /// A value that nothing is known of; `key` tells it from others.
  Linear makeAtom(const std::string &key, bool truth,
                  const Sources &sources = {});

private:
  Linear evaluateOp(mlir::Operation *op, mlir::Value value);
  std::optional<Linear> evaluateArith(mlir::Operation *op);

  AtomTable *atoms;
  Choices *choices;
  llvm::DenseMap<mlir::Value, Linear> known;
};

} // namespace tlc::verify

#endif // TLC_COMPILER_VERIFY_VALUES_H
