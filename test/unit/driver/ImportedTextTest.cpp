// NVRTC's messages about imported text as places in the file that holds it.
#include "compiler/driver/ImportedText.h"
#include "test/support/Catch.h"

using namespace tlc;

namespace {
/// The place as LINE:COLUMN; "none" without a literal.
std::string placeIn(llvm::StringRef source, const ImportedText &imported,
                    unsigned line, unsigned column) {
  auto span = placeInLiteral(source, "k.tl", imported, line, column);
  if (!span)
    return "none";
  CHECK(span->file == "k.tl");
  return std::to_string(span->line) + ":" + std::to_string(span->column);
}

ImportedText textOf(std::string text) {
  return {1, 1, "T.import_source at 1:1", std::move(text)};
}
} // namespace

TEST_CASE("driver: errors in NVRTC's log") {
  auto errors = parseCudaErrors(
      "T.import_source at 8:25(2): warning #177-D: variable \"u\" was declared "
      "but never referenced\n"
      "   int u; return *a; }\n"
      "       ^\n\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-"
      "number>\"\n\n"
      "a (b)/k.tl(6): error: identifier \"h\" is undefined\n"
      "   A[0]=1; h(A);\n"
      "           ^\n\n"
      "x.h(1): catastrophic error: cannot open source file \"y.h\"\n"
      "  #include \"y.h\"\n"
      "               ^\n\n"
      "At end of source: error: expected a \")\"\n\n"
      "ptxas fatal   : Unresolved extern function 'f'\n"
      "3 errors detected in the compilation of \"k.cu\".\n");
  REQUIRE(errors.size() == 3);
  CHECK(errors[0].file == "a (b)/k.tl");
  CHECK(errors[0].line == 6);
  CHECK(errors[0].column == 10);
  CHECK(errors[0].text == "identifier \"h\" is undefined");
  CHECK(errors[0].sourceLine == " A[0]=1; h(A);");
  CHECK(errors[1].file == "x.h");
  CHECK(errors[1].text == "cannot open source file \"y.h\"");
  CHECK(errors[1].column == 14);
  CHECK(errors[2].file.empty());
  CHECK(errors[2].line == 0);
  CHECK(errors[2].text == "expected a \")\"");
  CHECK(parseCudaErrors("").empty());
  CHECK(parseCudaErrors("k.cu(1): error: cut off").size() == 1);
}

TEST_CASE("driver: texts of a prelude") {
  auto texts = importedTexts("#line 1 \"T.import_source at 9:25\"\nint a;\n\n"
                             "int b;\n#line 1 \"T.import_source at 12:3\"\n"
                             "#line 7 \"mine\"\nint c;");
  REQUIRE(texts.size() == 2);
  CHECK(texts[0].name == "T.import_source at 9:25");
  CHECK(texts[0].line == 9);
  CHECK(texts[0].column == 25);
  CHECK(texts[0].text == "int a;\n\nint b;");
  CHECK(texts[1].line == 12);
  CHECK(texts[1].text == "#line 7 \"mine\"\nint c;");
  CHECK(lineOf(texts[0].text, 3) == "int b;");
  CHECK(lineOf(texts[0].text, 2).empty());
  CHECK(lineOf(texts[0].text, 4).empty());

  // A program that was written by hand says no places.
  texts = importedTexts("int a;");
  REQUIRE(texts.size() == 1);
  CHECK(texts[0].line == 0);
  CHECK(texts[0].name == "T.import_source");
  CHECK(importedTexts("").empty());
}

TEST_CASE("driver: places in the literal of an imported text") {
  CHECK(placeIn("f(\"int a;\")\n", textOf("int a;"), 1, 5) == "1:8");
  CHECK(placeIn("S = '''\nint a;\n  b c'''\n", textOf("\nint a;\n  b c"), 3,
                5) == "3:5");
  // Column 0 is the first word of the line, line 0 the end.
  CHECK(placeIn("S = '''\nint a;\n  b c'''\n", textOf("\nint a;\n  b c"), 3,
                0) == "3:3");
  CHECK(placeIn("S = '''int a;\n\n'''\n", textOf("int a;\n\n"), 0, 0) ==
        "1:14");
  CHECK(placeIn("S = 'a'\n", textOf("a"), 7, 3) == "1:7");
  // Escapes are longer than what they stand for.
  CHECK(placeIn("S = '\\x41\\n\\t\\\\\\101b'\n", textOf("A\n\t\\Ab"), 2, 4) ==
        "1:20");
  CHECK(placeIn("S = 'a\\\nb'\n", textOf("ab"), 1, 2) == "2:1");
  CHECK(placeIn("S = r'\\n b'\n", textOf("\\n b"), 1, 4) == "1:10");
  CHECK(placeIn("S = '''a\r\nb'''\r\n", textOf("a\nb"), 2, 1) == "2:1");
}

TEST_CASE("driver: literals that an imported text may be") {
  CHECK(placeIn("# 'a b'\nS = 'a' ' b'\n", textOf("a b"), 1, 1) == "none");
  CHECK(placeIn("S = f'{x} b'\n", textOf("a b"), 1, 1) == "none");
  CHECK(placeIn("S = b'a'\n", textOf("a"), 1, 1) == "none");
  CHECK(placeIn("", textOf("a"), 1, 1) == "none");
  // That at the argument comes before others with the same value.
  CHECK(placeIn("S = 'a'\nf('a')\n", {2, 3, "", "a"}, 1, 1) == "2:4");
  CHECK(placeIn("S = 'a'\nf(S)\n", {2, 3, "", "a"}, 1, 1) == "1:6");
}
