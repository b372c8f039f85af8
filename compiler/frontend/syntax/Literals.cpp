#include "compiler/frontend/syntax/Literals.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"
#include <limits>

namespace tlc::frontend {

void decodeNumber(llvm::StringRef text, ast::Module &module,
                  ast::Constant &constant) {
  std::string digits;
  for (char c : text)
    if (c != '_')
      digits += llvm::toLower(c);
  using Type = ast::Constant::Type;
  bool hasPrefix = digits.size() > 1 && digits[0] == '0' &&
                   llvm::isAlpha(digits[1]) && digits[1] != 'e' &&
                   digits[1] != 'j';
  if (hasPrefix) {
    constant.radix = digits[1] == 'x' ? 16 : digits[1] == 'o' ? 8 : 2;
    digits.erase(0, 2);
  } else if (llvm::StringRef(digits).find_first_of(".ej") !=
             llvm::StringRef::npos) {
    constant.type = digits.back() == 'j' ? Type::Complex : Type::Float;
    if (digits.back() == 'j')
      digits.pop_back();
    llvm::StringRef(digits).getAsDouble(constant.floatValue,
                                        /*AllowInexact=*/true);
    return;
  }
  constant.type = Type::Int;
  constant.text = module.copy(llvm::StringRef(digits));
  uint64_t value = 0;
  constant.tooBig = constant.text.getAsInteger(constant.radix, value) ||
                    value > uint64_t(std::numeric_limits<int64_t>::max());
  if (!constant.tooBig)
    constant.intValue = int64_t(value);
}

StringLiteral splitString(llvm::StringRef token) {
  size_t prefix = token.find_first_of("'\"");
  llvm::StringRef letters = token.take_front(prefix);
  StringLiteral literal;
  literal.isBytes = letters.contains_insensitive("b");
  literal.isRaw = letters.contains_insensitive("r");
  literal.body = token.drop_front(prefix);
  bool triple = literal.body.size() >= 6 &&
                literal.body[1] == literal.body[0] &&
                literal.body[2] == literal.body[0];
  literal.body = literal.body.drop_front(triple ? 3 : 1);
  literal.body = literal.body.drop_back(triple ? 3 : 1);
  return literal;
}

/// Appends a code point as UTF-8, lone surrogates in the same way.
static void appendUtf8(uint32_t c, std::string &out) {
  if (c < 0x80) {
    out += char(c);
  } else if (c < 0x800) {
    out += char(0xC0 | c >> 6);
    out += char(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += char(0xE0 | c >> 12);
    out += char(0x80 | (c >> 6 & 0x3F));
    out += char(0x80 | (c & 0x3F));
  } else {
    out += char(0xF0 | c >> 18);
    out += char(0x80 | (c >> 12 & 0x3F));
    out += char(0x80 | (c >> 6 & 0x3F));
    out += char(0x80 | (c & 0x3F));
  }
}

namespace {
/// Walks over the text of one string literal.
class Decoder {
public:
  Decoder(llvm::StringRef body, bool isBytes, DiagnosticEngine &diags,
          std::string &out)
      : rest(body), isBytes(isBytes), diags(diags), out(out) {}

  bool run(bool isRaw, bool isFString) {
    while (!rest.empty()) {
      char c = rest.front();
      if (c == '\\' && !isRaw) {
        if (!escape())
          return false;
        continue;
      }
      if (isBytes && (static_cast<unsigned char>(c) & 0x80))
        return fail(Diag::NonAsciiBytes, 1);
      if (c == '\r') {
        if (!rest.consume_front("\r\n"))
          rest = rest.drop_front();
        out += '\n';
        continue;
      }
      bool doubled = isFString && (c == '{' || c == '}');
      out += c;
      rest = rest.drop_front(doubled ? 2 : 1);
    }
    return true;
  }

private:
  llvm::SMRange range(size_t length) const {
    return {llvm::SMLoc::getFromPointer(rest.begin()),
            llvm::SMLoc::getFromPointer(rest.take_front(length).end())};
  }
  bool fail(Diag diag, size_t length) {
    diags.report(diag, range(length));
    return false;
  }
  bool failEscape(size_t length, llvm::StringRef why) {
    diags.report(Diag::InvalidEscape, range(length)) << why;
    return false;
  }
  void append(uint32_t value) {
    if (isBytes)
      out += char(value);
    else
      appendUtf8(value, out);
  }
  bool escape();
  bool hexEscape(unsigned length);
  bool namedEscape();

  llvm::StringRef rest;
  bool isBytes;
  DiagnosticEngine &diags;
  std::string &out;
};
} // namespace

/// `rest` begins with a backslash. An unknown escape stands for itself.
bool Decoder::escape() {
  static constexpr llvm::StringLiteral kNames = "\\'\"abfnrtv";
  static constexpr llvm::StringLiteral kValues = "\\'\"\a\b\f\n\r\t\v";
  if (rest.consume_front("\\\r\n") || rest.consume_front("\\\n") ||
      rest.consume_front("\\\r"))
    return true;
  char c = rest.size() > 1 ? rest[1] : '\\';
  if (size_t index = kNames.find(c); index != llvm::StringRef::npos) {
    out += kValues[index];
    rest = rest.drop_front(std::min<size_t>(2, rest.size()));
    return true;
  }
  if (c >= '0' && c <= '7') {
    llvm::StringRef digits = rest.substr(1, 3).take_while(
        [](char d) { return d >= '0' && d <= '7'; });
    unsigned value = 0;
    digits.getAsInteger(8, value);
    append(value);
    rest = rest.drop_front(1 + digits.size());
    return true;
  }
  if (c == 'x')
    return hexEscape(2);
  if (!isBytes && c == 'u')
    return hexEscape(4);
  if (!isBytes && c == 'U')
    return hexEscape(8);
  if (!isBytes && c == 'N')
    return namedEscape();
  out += '\\';
  rest = rest.drop_front();
  return true;
}

bool Decoder::hexEscape(unsigned length) {
  llvm::StringRef digits = rest.substr(2, length).take_while(llvm::isHexDigit);
  uint32_t value = 0;
  if (digits.size() != length)
    return failEscape(2 + digits.size(), "hexadecimal digits are missing");
  digits.getAsInteger(16, value);
  if (value > 0x10FFFF)
    return failEscape(2 + length, "there is no such character");
  append(value);
  rest = rest.drop_front(2 + length);
  return true;
}

bool Decoder::namedEscape() {
  size_t close = rest.find('}');
  if (!rest.starts_with("\\N{") || close == llvm::StringRef::npos)
    return failEscape(2, "a character name in braces is missing");
  auto value =
      llvm::sys::unicode::nameToCodepointStrict(rest.slice(3, close).upper());
  if (!value)
    return failEscape(close + 1, "there is no character of that name");
  appendUtf8(uint32_t(*value), out);
  rest = rest.drop_front(close + 1);
  return true;
}

bool decodeString(llvm::StringRef body, bool isBytes, bool isRaw,
                  bool isFString, DiagnosticEngine &diags, std::string &out) {
  return Decoder(body, isBytes, diags, out).run(isRaw, isFString);
}

} // namespace tlc::frontend
