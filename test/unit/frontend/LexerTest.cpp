// Token lists of complete inputs, and what the lexer refuses.
#include "compiler/frontend/syntax/Lexer.h"
#include "test/support/Catch.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace tlc;
using namespace tlc::frontend;

/// Kinds in order; names, numbers, strings and f-string text with their text.
static std::string lexed(llvm::StringRef text) {
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(text);
  std::string out;
  for (const Token &token : lex(buffer->getBuffer()).tokens) {
    out += (out.empty() ? "" : " ") + tokenName(token.kind).str();
    if (token.is(TokenKind::Name, TokenKind::Number, TokenKind::String,
                 TokenKind::FStringMiddle))
      out += ":" + token.text.str();
  }
  return out;
}

/// "TL0103 2:5-2:6": the error of an input that cannot be lexed.
static std::string lexError(llvm::StringRef text) {
  llvm::SourceMgr sources;
  unsigned id = sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "test.tl"), {});
  DiagnosticEngine diags(sources);
  TokenStream stream = lex(sources.getMemoryBuffer(id)->getBuffer());
  if (!stream.tokens.back().is(TokenKind::Error))
    return "no error";
  stream.reportError(diags);
  const Diagnostic &diagnostic = diags.diagnostics().front();
  const SourceSpan &span = diagnostic.span;
  auto position = [](unsigned line, unsigned column) {
    return std::to_string(line) + ":" + std::to_string(column);
  };
  return diagnostic.code().str() + " " + position(span.line, span.column) +
         "-" + position(span.endLine, span.endColumn);
}

TEST_CASE("empty and blank files are just their end") {
  CHECK(lexed("") == "EndOfFile");
  CHECK(lexed("\n\n") == "EndOfFile");
  CHECK(lexed("  # comment") == "EndOfFile");
  CHECK(lexed("\t\f \r\n#\n") == "EndOfFile");
  CHECK(lexed("\xEF\xBB\xBFx") == "Name:x Newline EndOfFile");
}

TEST_CASE("keywords are told from names that begin like them") {
  CHECK(lexed("in int None nones match _") ==
        "In Name:int None Name:nones Name:match Name:_ Newline EndOfFile");
  CHECK(lexed("r f rb br b u x") ==
        "Name:r Name:f Name:rb Name:br Name:b Name:u Name:x Newline EndOfFile");
}

TEST_CASE("the longest operator is taken") {
  CHECK(lexed("a**=b**c//=d//e") ==
        "Name:a PowEqual Name:b Pow Name:c FloorDivEqual Name:d FloorDiv "
        "Name:e Newline EndOfFile");
  CHECK(lexed("a>>=b>>c<<=d<=e->f:=g...") ==
        "Name:a RShiftEqual Name:b RShift Name:c LShiftEqual Name:d LessEqual "
        "Name:e Arrow Name:f ColonEqual Name:g Ellipsis Newline EndOfFile");
  CHECK(lexed("@=@!=%=..") == "AtEqual At NotEqual PercentEqual Dot Dot "
                              "Newline EndOfFile");
}

TEST_CASE("numbers end where their grammar ends") {
  CHECK(lexed("0 00_0 1_2 0x_fF 0O7 0b1 1.5 1. .5 1e5 1E-5_0 1.e+3 2j 1.5J") ==
        "Number:0 Number:00_0 Number:1_2 Number:0x_fF Number:0O7 Number:0b1 "
        "Number:1.5 Number:1. Number:.5 Number:1e5 Number:1E-5_0 Number:1.e+3 "
        "Number:2j Number:1.5J Newline EndOfFile");
  CHECK(lexed("1if 2else 0xfor 1..x") ==
        "Number:1 If Number:2 Else Number:0xf Or Number:1. Dot Name:x Newline "
        "EndOfFile");
  CHECK(lexed("007j 09.5 0e0") ==
        "Number:007j Number:09.5 Number:0e0 Newline EndOfFile");
}

TEST_CASE("malformed numbers are errors over the whole word") {
  CHECK(lexError("x = 0777") == "TL0105 1:5-1:9");
  CHECK(lexError("1_") == "TL0105 1:1-1:3");
  CHECK(lexError("1__0") == "TL0105 1:1-1:5");
  CHECK(lexError("0x") == "TL0105 1:1-1:3");
  CHECK(lexError("0b12") == "TL0105 1:1-1:5");
  CHECK(lexError("0o8") == "TL0105 1:1-1:4");
  CHECK(lexError("12abc") == "TL0105 1:1-1:6");
  CHECK(lexError("1e") == "TL0105 1:1-1:3");
  CHECK(lexError("1.e_5") == "TL0105 1:1-1:6");
  CHECK(lexError("1.5_") == "TL0105 1:1-1:5");
}

TEST_CASE("strings with all prefixes and quotes") {
  CHECK(lexed(R"('a' "b" r'\' ' Rb"\"" b'' u'x' '''a'b''' """
"c""")") == "String:'a' String:\"b\" String:r'\\' ' String:Rb\"\\\"\" "
            "String:b'' String:u'x' String:'''a'b''' String:\"\"\"\n\"c\"\"\" "
            "Newline EndOfFile");
  CHECK(lexed("'a\\\nb'") == "String:'a\\\nb' Newline EndOfFile");
  CHECK(lexed("ub''") == "Name:ub String:'' Newline EndOfFile");
}

TEST_CASE("strings that do not end") {
  CHECK(lexError("x = 'abc\ny") == "TL0103 1:5-1:6");
  CHECK(lexError("x = 'abc\\") == "TL0103 1:5-1:6");
  CHECK(lexError("  b'''abc\n'' \"\"\"") == "TL0103 1:3-1:7");
  CHECK(lexError("f'abc\n'") == "TL0103 1:1-1:3");
  CHECK(lexError("f'''{x}") == "TL0103 1:1-1:5");
}

TEST_CASE("f-strings are text and fields in turns") {
  CHECK(lexed("f'a{x}b'") ==
        "FStringStart FStringMiddle:a FieldOpen Name:x FieldClose "
        "FStringMiddle:b FStringEnd Newline EndOfFile");
  CHECK(lexed("f''") == "FStringStart FStringEnd Newline EndOfFile");
  CHECK(lexed("F'{{}}'") == "FStringStart FStringMiddle:{{}} FStringEnd "
                            "Newline EndOfFile");
  CHECK(lexed("f'{x!r:>{w}}'") ==
        "FStringStart FieldOpen Name:x Exclaim Name:r FieldColon "
        "FStringMiddle:> FieldOpen Name:w FieldClose FieldClose FStringEnd "
        "Newline EndOfFile");
  CHECK(lexed("f'{a!=b}{c:=5}{(d:=5)}{e[1:2]}'") ==
        "FStringStart FieldOpen Name:a NotEqual Name:b FieldClose FieldOpen "
        "Name:c FieldColon FStringMiddle:=5 FieldClose FieldOpen LParen Name:d "
        "ColonEqual Number:5 RParen FieldClose FieldOpen Name:e LBracket "
        "Number:1 Colon Number:2 RBracket FieldClose FStringEnd Newline "
        "EndOfFile");
  CHECK(lexed("f'{f'{'a'}'}'") ==
        "FStringStart FieldOpen FStringStart FieldOpen String:'a' FieldClose "
        "FStringEnd FieldClose FStringEnd Newline EndOfFile");
  CHECK(lexed("f'{\nx # c\n}'\ny") ==
        "FStringStart FieldOpen Name:x FieldClose FStringEnd Newline Name:y "
        "Newline EndOfFile");
  CHECK(lexed("f'\\N{DASH}\\{x}'") ==
        "FStringStart FStringMiddle:\\N{DASH}\\ FieldOpen Name:x FieldClose "
        "FStringEnd Newline EndOfFile");
}

TEST_CASE("malformed f-strings") {
  CHECK(lexError("f'}'") == "TL0115 1:3-1:4");
  CHECK(lexError("f'{a'") == "TL0115 1:3-1:4");
  CHECK(lexError("f'{a:b'") == "TL0115 1:7-1:8");
  CHECK(lexError("f'{(a}'") == "TL0108 1:6-1:7");
}

TEST_CASE("indentation makes blocks") {
  CHECK(lexed("a\n  b\n  c\n    d\ne") ==
        "Name:a Newline Indent Name:b Newline Name:c Newline Indent Name:d "
        "Newline Dedent Dedent Name:e Newline EndOfFile");
  CHECK(lexed("a\n\n   # c\n  b") ==
        "Name:a Newline Indent Name:b Newline Dedent EndOfFile");
  CHECK(lexed("a\n\tb\n\tc") ==
        "Name:a Newline Indent Name:b Newline Name:c Newline Dedent EndOfFile");
  CHECK(lexed("a\r\n  b\r\nc") ==
        "Name:a Newline Indent Name:b Newline Dedent Name:c Newline EndOfFile");
}

TEST_CASE("indentation that does not fit") {
  CHECK(lexError("a\n    b\n  c") == "TL0111 3:1-3:3");
  CHECK(lexError("a\n\tb\n        c") == "TL0109 3:1-3:9");
  CHECK(lexError("a\n        b\n\tc") == "TL0109 3:1-3:2");
}

TEST_CASE("brackets and backslashes join lines") {
  CHECK(lexed("(a,\n   b)\nc") ==
        "LParen Name:a Comma Name:b RParen Newline Name:c Newline EndOfFile");
  CHECK(lexed("a + \\\n  b") == "Name:a Plus Name:b Newline EndOfFile");
  CHECK(lexError("a \\ b") == "TL0113 1:3-1:4");
  CHECK(lexError("a \\") == "TL0113 1:3-1:4");
  CHECK(lexError("a \\\n") == "TL0113 1:3-1:4");
}

TEST_CASE("brackets that do not match") {
  CHECK(lexError("(a\nb") == "TL0106 1:1-1:2");
  CHECK(lexError("([a]\n{") == "TL0106 2:1-2:2");
  CHECK(lexError("a)") == "TL0107 1:2-1:3");
  CHECK(lexError("(a]") == "TL0108 1:3-1:4");
}

TEST_CASE("bytes that no file may hold") {
  CHECK(lexError("ab\xFF") == "TL0102 1:3-1:4");
  CHECK(lexError("# \xC3(") == "TL0102 1:3-1:4");
  CHECK(lexError(llvm::StringRef("a\nb\0c", 5)) == "TL0102 2:2-2:3");
  CHECK(lexError("x = \"a\" $ 1") == "TL0101 1:9-1:10");
  CHECK(lexError("x = a ? b") == "TL0101 1:7-1:8");
  CHECK(lexError("!x") == "TL0101 1:1-1:2");
  CHECK(lexError("x = \xE2\x80\x9C"
                 "a") == "TL0101 1:5-1:8");
  CHECK(lexError("x\xC2\xA0= 1") == "TL0101 1:2-1:4");
  CHECK(lexed("\xC3\xBC = 1") == "Name:\xC3\xBC Equal Number:1 Newline "
                                 "EndOfFile");
}
