// The text form of layouts: attributes in IR, messages, golden tests.
//
//   layout := `regs=` digits `threads=` digits `shape=` int (`x` int)*
//   digits := `[` (digit (` ` digit)*)? `]`
//   digit  := int `:` step | `^` step        step := `(` int (`,` int)* `)`
#include "compiler/analysis/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tlc::analysis {

static void printDigits(llvm::raw_ostream &os, llvm::ArrayRef<Digit> digits) {
  os << '[';
  llvm::ListSeparator space(" ");
  for (const Digit &digit : digits) {
    os << space;
    if (digit.exclusiveOr)
      os << '^';
    else
      os << digit.count << ':';
    os << '(';
    llvm::interleave(digit.step, os, ",");
    os << ')';
  }
  os << ']';
}

std::string LinearLayout::toString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "regs=";
  printDigits(os, registers);
  os << " threads=";
  printDigits(os, threads);
  os << " shape=";
  llvm::interleave(tileShape, os, "x");
  return text;
}

namespace {

/// A cursor over the text. The first error wins; after it every step fails.
class LayoutParser {
public:
  explicit LayoutParser(llvm::StringRef text) : all(text), rest(text) {}

  std::optional<LinearLayout> parse() {
    llvm::SmallVector<Digit, 8> regs, threads;
    Coords shape;
    bool ok = expect("regs=") && parseDigits(regs) && expect("threads=") &&
              parseDigits(threads) && expect("shape=") && parseShape(shape);
    if (ok && !rest.trim().empty())
      ok = fail("nothing more");
    ok = ok && checkRank(regs, shape) && checkRank(threads, shape) &&
         checkSize(regs, "registers") && checkSize(threads, "threads");
    if (!ok)
      return std::nullopt;
    return LinearLayout(shape, regs, threads);
  }

  std::string error;

private:
  // Far above any block or tile; keeps products within 64 bits.
  static constexpr int64_t kLimit = int64_t(1) << 24;

  bool fail(const llvm::Twine &expected) {
    if (error.empty())
      error = ("expected " + expected + " at column " +
               llvm::Twine(all.size() - rest.size() + 1))
                  .str();
    return false;
  }

  bool accept(llvm::StringRef token) {
    rest = rest.ltrim(' ');
    return rest.consume_front(token);
  }

  bool expect(llvm::StringRef token) {
    return accept(token) || fail("'" + token + "'");
  }

  bool parseInt(int64_t &value, int64_t least) {
    rest = rest.ltrim(' ');
    llvm::StringRef before = rest;
    uint64_t number;
    if (rest.consumeInteger(10, number) || number > uint64_t(kLimit) ||
        int64_t(number) < least) {
      rest = before;
      return fail("a number from " + llvm::Twine(least) + " to " +
                  llvm::Twine(kLimit));
    }
    value = int64_t(number);
    return true;
  }

  bool parseStep(Coords &step) {
    if (!expect("("))
      return false;
    do {
      if (!parseInt(step.emplace_back(), 0))
        return false;
    } while (accept(","));
    return expect(")");
  }

  bool parseDigits(llvm::SmallVectorImpl<Digit> &digits) {
    if (!expect("["))
      return false;
    while (!accept("]")) {
      Digit digit{2, {}, accept("^")};
      if (!digit.exclusiveOr && !(parseInt(digit.count, 1) && expect(":")))
        return false;
      if (!parseStep(digit.step))
        return false;
      digits.push_back(std::move(digit));
    }
    return true;
  }

  bool parseShape(Coords &shape) {
    int64_t elements = 1;
    do {
      if (!parseInt(shape.emplace_back(), 1))
        return false;
      if ((elements *= shape.back()) > kLimit)
        return fail("a smaller shape before the end");
    } while (accept("x"));
    return true;
  }

  bool checkRank(llvm::ArrayRef<Digit> digits, llvm::ArrayRef<int64_t> shape) {
    for (const Digit &digit : digits)
      if (digit.step.size() != shape.size())
        return fail("steps with " + llvm::Twine(shape.size()) +
                    " entries before the end");
    return true;
  }

  bool checkSize(llvm::ArrayRef<Digit> digits, llvm::StringRef what) {
    int64_t total = 1;
    for (const Digit &digit : digits)
      if ((total *= digit.count) > kLimit)
        return fail("fewer " + what + " before the end");
    return true;
  }

  llvm::StringRef all, rest;
};

} // namespace

std::optional<LinearLayout> LinearLayout::parse(llvm::StringRef text,
                                                std::string *error) {
  LayoutParser parser(text);
  std::optional<LinearLayout> layout = parser.parse();
  if (!layout && error)
    *error = parser.error;
  return layout;
}

} // namespace tlc::analysis
