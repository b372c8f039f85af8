// Trees against those of CPython's parser, values of literals, ranges, and the
// bounds that keep any input from exhausting the stack.
#include "ParseHelper.h"
#include "test/support/Catch.h"

#include "llvm/ADT/StringExtras.h"
#include <random>

using namespace tlc;
using namespace tlc::frontend;
using llvm::cast;

static std::unique_ptr<llvm::MemoryBuffer> readCases() {
  auto buffer = llvm::MemoryBuffer::getFile(TLC_PARSER_CASES);
  REQUIRE(buffer);
  return std::move(*buffer);
}

/// Calls `fn(name, source, tree)` for each case of ParserCases.txt.
template <typename Fn> static void forEachCase(llvm::StringRef text, Fn fn) {
  text = text.substr(text.find("=== "));
  while (text.consume_front("=== ")) {
    auto [name, rest] = text.split('\n');
    auto [source, behind] = rest.split("---\n");
    size_t end = std::min(behind.find("=== "), behind.size());
    fn(name, source, behind.take_front(end));
    text = behind.drop_front(end);
  }
}

TEST_CASE("trees and ranges are those of CPython") {
  auto buffer = readCases();
  unsigned count = 0;
  forEachCase(
      buffer->getBuffer(),
      [&](llvm::StringRef name, llvm::StringRef source, llvm::StringRef tree) {
        INFO(name.str());
        CHECK(Parsed(source).dump() == tree.str());
        ++count;
      });
  CHECK(count == 21);
}

TEST_CASE("line ends do not change the tree") {
  auto buffer = readCases();
  forEachCase(
      buffer->getBuffer(),
      [&](llvm::StringRef name, llvm::StringRef source, llvm::StringRef tree) {
        INFO(name.str());
        std::string dos;
        for (char c : source)
          dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
        CHECK(Parsed(dos).dump() == tree.str());
        CHECK(Parsed(source.rtrim("\n")).dump() == tree.str());
      });
}

TEST_CASE("integers of any size") {
  Parsed parsed("0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0b101, "
                "340282366920938463463374607431768211456");
  auto elements = cast<ast::Tuple>(parsed.expr())->elts;
  const auto *largest = cast<ast::Constant>(elements[0]);
  CHECK(!largest->tooBig);
  CHECK(largest->intValue == std::numeric_limits<int64_t>::max());
  const auto *big = cast<ast::Constant>(elements[1]);
  CHECK(big->tooBig);
  CHECK(big->getAPInt() == llvm::APInt(65, 1).shl(63));
  CHECK(cast<ast::Constant>(elements[2])->intValue == 5);
  llvm::APInt power = cast<ast::Constant>(elements[3])->getAPInt();
  CHECK(power.isNonNegative());
  CHECK(power.isPowerOf2());
  CHECK(power.logBase2() == 128);
}

TEST_CASE("subscripts one by one") {
  auto count = [](llvm::StringRef text) {
    return cast<ast::Subscript>(Parsed(text).expr())->indices().size();
  };
  CHECK(count("a[0]") == 1);
  CHECK(count("a[0, 1:2]") == 2);
  CHECK(count("a[0,]") == 1);
  CHECK(count("a[(0, 1)]") == 1);
}

TEST_CASE("keywords of a call are found by name") {
  Parsed parsed("f(1, n=2, **m)");
  const auto *call = cast<ast::Call>(parsed.expr());
  REQUIRE(call->findKeyword("n"));
  CHECK(cast<ast::Constant>(call->findKeyword("n")->value)->intValue == 2);
  CHECK(!call->findKeyword("m"));
}

TEST_CASE("names carry their own ranges") {
  Parsed parsed("try: pass\nexcept A as err: pass\nfrom m import (a as b)\n"
                "def f():\n  global g , h\n");
  std::string tree = parsed.dump();
  CHECK_THAT(tree, Catch::Contains("as (name 2:13-2:16 err)"));
  CHECK_THAT(tree, Catch::Contains("(name 3:16-3:17 a)"));
  CHECK_THAT(tree, Catch::Contains("as (name 3:21-3:22 b)"));
  CHECK_THAT(tree, Catch::Contains("(name 5:10-5:11 g)"));
  CHECK_THAT(tree, Catch::Contains("(name 5:14-5:15 h)"));
  CHECK(
      ast::sourceText(parsed.module->body[0]->range).starts_with("try: pass"));
}

static std::string repeated(llvm::StringRef text, unsigned count) {
  std::string out;
  while (count--)
    out += text;
  return out;
}

/// Parses to a tree or to TL0114, and does not overflow the stack.
static bool isBounded(const std::string &text) {
  Parsed parsed(text);
  if (parsed.module)
    return true;
  return parsed.diags.diagnostics().front().code() == "TL0114";
}

TEST_CASE("nesting is bounded") {
  constexpr unsigned kMany = 50000;
  auto nested = [&](llvm::StringRef open, llvm::StringRef middle,
                    llvm::StringRef close) {
    return repeated(open, kMany) + middle.str() + repeated(close, kMany);
  };
  CHECK(isBounded(nested("(", "x", ")")));
  CHECK(isBounded(nested("[", "x", "]")));
  CHECK(isBounded(nested("{", "x", ":1}")));
  CHECK(isBounded(nested("f(", "x", ")")));
  CHECK(isBounded(nested("x[", "0", "]")));
  CHECK(isBounded(nested("lambda: ", "x", "")));
  CHECK(isBounded(nested("-", "x", "")));
  CHECK(isBounded(nested("not ", "x", "")));
  CHECK(isBounded(nested("x ** ", "x", "")));
  CHECK(isBounded(nested("x if y else ", "x", "")));
  CHECK(isBounded(nested("f'{", "x", "}'")));
  CHECK(isBounded(nested("f'{x:{", "x", "}}'")));
  CHECK(isBounded(nested("x + ", "x", "")));
  CHECK(isBounded(nested("", "x", ".a")));
  CHECK(isBounded(nested("", "x", "()")));
  CHECK(isBounded(nested("", "x", "[0]")));
  CHECK(isBounded("match x:\n case " + nested("[", "x", "]") + ": pass"));
  CHECK(isBounded("if x: pass\n" + repeated("elif x: pass\n", kMany)));
  std::string blocks;
  for (unsigned i = 0; i < 300; ++i)
    blocks += std::string(i, ' ') + "if x:\n";
  CHECK(isBounded(blocks));
}

TEST_CASE("long lists are not nested") {
  constexpr unsigned kMany = 50000;
  CHECK(Parsed("[" + repeated("x, ", kMany) + "]").module);
  CHECK(Parsed(repeated("x and ", kMany) + "x").module);
  CHECK(Parsed(repeated("x < ", kMany) + "x").module);
  CHECK(Parsed(repeated("x = ", kMany) + "x").module);
  CHECK(Parsed(repeated("'x' ", kMany)).module);
  CHECK(Parsed(repeated("x; ", kMany)).module);
  CHECK(Parsed("f(" + repeated("x, ", kMany) + ")").module);
}

TEST_CASE("reasonable nesting is accepted") {
  CHECK(Parsed(repeated("(", 90) + "x" + repeated(")", 90)).module);
  CHECK(Parsed(repeated("x + ", 900) + "x").module);
  CHECK(Parsed("if x: pass\n" + repeated("elif x: pass\n", 900)).module);
  std::string blocks;
  for (unsigned i = 0; i < 99; ++i)
    blocks += std::string(i, ' ') + "if x:\n";
  CHECK(Parsed(blocks + std::string(99, ' ') + "pass").module);
}

/// Changes a text at random: removes, repeats, exchanges or replaces pieces.
static void mutate(std::string &text, std::mt19937 &random) {
  static constexpr llvm::StringLiteral kPieces[] = {
      "(", ")",  "[",  "]",   "{",    "}",   ":",      ",",      "=",
      ".", "\n", "  ", "\t",  "\\",   "\"",  "'",      "f'{",    "'''",
      "*", "**", ":=", "if ", "for ", "in ", "lambda", "match ", "case ",
      "@", "0x", "1e", "#",   "\r",   ";",   "def f(", "\xC3",   "not "};
  auto below = [&](size_t limit) {
    return random() % std::max<size_t>(limit, 1);
  };
  for (unsigned i = 0, n = 1 + below(4); i < n; ++i) {
    size_t at = below(text.size()), length = 1 + below(8);
    std::string piece = text.substr(at, length);
    switch (below(5)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(below(text.size()), piece);
      break;
    case 2:
      text.insert(at, kPieces[below(std::size(kPieces))].str());
      break;
    case 3:
      text.resize(at);
      break;
    default:
      text.insert(at, 1, char(below(256)));
      break;
    }
  }
}

TEST_CASE("mutated files give a tree or one error") {
  std::vector<std::string> seeds;
  auto buffer = readCases();
  forEachCase(buffer->getBuffer(),
              [&](llvm::StringRef, llvm::StringRef source, llvm::StringRef) {
                seeds.push_back(source.str());
              });
  std::mt19937 random(20240229);
  for (unsigned i = 0; i < 6000; ++i) {
    std::string text = seeds[i % seeds.size()];
    mutate(text, random);
    Parsed parsed(text);
    INFO(text);
    REQUIRE(parsed.diags.errorCount() == (parsed.module ? 0 : 1));
    REQUIRE(!parsed.dump().empty());
  }
}

TEST_CASE("random bytes give a tree or one error") {
  std::mt19937 random(7);
  for (unsigned i = 0; i < 3000; ++i) {
    std::string text(random() % 64, ' ');
    // Mostly ASCII, as otherwise the encoding is all that is tested.
    unsigned limit = i % 4 ? 128 : 256;
    for (char &c : text)
      c = char(random() % limit);
    Parsed parsed(text);
    REQUIRE(parsed.diags.errorCount() == (parsed.module ? 0 : 1));
  }
}
