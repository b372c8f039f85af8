// What the parser refuses: code and position of the one error of each input.
#include "ParseHelper.h"
#include "test/support/Catch.h"

using namespace tlc;
using namespace tlc::frontend;

/// "TL0124 1:6: text".
static std::string errorOf(llvm::StringRef text) {
  Parsed parsed(text);
  if (parsed.diags.diagnostics().size() != 1)
    return std::to_string(parsed.diags.diagnostics().size()) + " diagnostics";
  const Diagnostic &diagnostic = parsed.diags.diagnostics().front();
  return diagnostic.code().str() + " " + std::to_string(diagnostic.span.line) +
         ":" + std::to_string(diagnostic.span.column) + ": " + diagnostic.text;
}

TEST_CASE("heads and blocks") {
  CHECK(errorOf("def f(x)\n  return x") ==
        "TL0123 1:9: expected ':' after 'def', found the end of the line");
  CHECK(errorOf("while True print(1)") ==
        "TL0123 1:12: expected ':' after 'while', found 'print'");
  CHECK(errorOf("if x = 3:\n  pass") ==
        "TL0124 1:6: '=' cannot be used inside an expression");
  CHECK(errorOf("for i in r:\nx = 1") ==
        "TL0112 2:1: expected an indented block after 'for'");
  CHECK(errorOf("if x:\n") ==
        "TL0112 2:1: expected an indented block after 'if'");
  CHECK(errorOf("x = 1\n  y = 2") == "TL0110 2:1: unexpected indentation");
  CHECK(errorOf("else:\n  pass") ==
        "TL0120 1:1: expected a statement, found 'else'");
  CHECK(errorOf("try:\n  pass\nx = 1") ==
        "TL0120 3:1: expected 'except' or 'finally', found 'x'");
  CHECK(errorOf("@d\nx = 1") ==
        "TL0120 2:1: expected 'def' or 'class' after the decorator, found 'x'");
  CHECK(errorOf("if x: for y in z: pass") ==
        "TL0121 1:7: expected an expression, found 'for'");
}

TEST_CASE("expressions") {
  CHECK(errorOf("x = 1 +") ==
        "TL0121 1:8: expected an expression, found the end of the line");
  CHECK(errorOf("a b") ==
        "TL0120 1:3: expected the end of the statement, found 'b'");
  CHECK(errorOf("f(a, trans b=1)") ==
        "TL0120 1:12: expected ',' or ')', found 'b'");
  CHECK(errorOf("x = y if z") ==
        "TL0120 1:11: expected 'else' of the conditional expression, found the "
        "end of the line");
  CHECK(errorOf("{1: 2, 3}") == "TL0120 1:9: expected ':', found '}'");
  CHECK(errorOf("x.for = 1") ==
        "TL0132 1:3: 'for' is a keyword and cannot be used as an attribute "
        "name");
  CHECK(errorOf("class = 1") ==
        "TL0132 1:1: 'class' is a keyword and cannot be used as a variable "
        "name");
  CHECK(errorOf("(*a)") == "TL0131 1:2: '*' cannot be used here");
  CHECK(errorOf("*a") == "TL0131 1:1: '*' cannot be used here");
  CHECK(errorOf("x = b'a' 'b'") ==
        "TL0129 1:10: text and bytes literals cannot be joined");
  CHECK(errorOf("x = '\\x1'") == "TL0104 1:6: invalid escape in a string: "
                                 "hexadecimal digits are missing");
  CHECK(errorOf("b'\xC3\xBC'") ==
        "TL0134 1:3: a bytes literal can only hold ASCII characters");
  CHECK(errorOf("f'{}'") ==
        "TL0115 1:4: invalid f-string: an expression is missing in '{}'");
  CHECK(errorOf("f'{a!x}'") == "TL0115 1:6: invalid f-string: the conversion "
                               "after '!' must be s, r or a");
}

TEST_CASE("an unclosed bracket is reported instead of what follows from it") {
  CHECK(errorOf("T.copy(A, B\nfor i in r:\n  x[i] = 1") ==
        "TL0106 1:7: '(' was never closed");
  CHECK(errorOf("x = [1, 2\ny = 3\n") == "TL0106 1:5: '[' was never closed");
  CHECK(errorOf("f(a, b)\nx = (1 +\n") == "TL0106 2:5: '(' was never closed");
  CHECK(errorOf("a b\nx = (1 +\n") ==
        "TL0120 1:3: expected the end of the statement, found 'b'");
}

TEST_CASE("targets") {
  CHECK(errorOf("f() = 1") == "TL0122 1:1: cannot assign to a call");
  CHECK(errorOf("None = 1") == "TL0122 1:1: cannot assign to None");
  CHECK(errorOf("a, 1 = b") == "TL0122 1:4: cannot assign to a literal");
  CHECK(errorOf("*a, *b = c") ==
        "TL0122 1:5: cannot assign to more than one starred target");
  CHECK(errorOf("(a, b) += 1") == "TL0122 1:1: cannot apply '+=' to a tuple");
  CHECK(errorOf("a, b: int") == "TL0122 1:1: cannot annotate a tuple");
  CHECK(errorOf("del f()") == "TL0122 1:5: cannot delete a call");
  CHECK(errorOf("for x + 1 in y: pass") ==
        "TL0122 1:5: cannot assign to an expression");
  CHECK(errorOf("with a as 1: pass") ==
        "TL0122 1:11: cannot assign to a literal");
  CHECK(errorOf("[x for f() in y]") == "TL0122 1:8: cannot assign to a call");
}

TEST_CASE("arguments and parameters") {
  CHECK(errorOf("f(a=1, b)") ==
        "TL0125 1:8: a positional argument follows a keyword argument");
  CHECK(errorOf("f(**a, *b)") ==
        "TL0125 1:8: a positional argument follows '**'");
  CHECK(errorOf("f(a=1, a=2)") ==
        "TL0126 1:8: the keyword argument 'a' appears twice");
  CHECK(errorOf("f(a.b=1)") ==
        "TL0124 1:6: '=' cannot be used inside an expression");
  CHECK(errorOf("f(x for x in y, 1)") ==
        "TL0130 1:3: a generator expression among other arguments needs "
        "parentheses");
  CHECK(errorOf("def f(a, a): pass") ==
        "TL0126 1:10: the parameter 'a' appears twice");
  CHECK(errorOf("def f(a=1, b): pass") ==
        "TL0127 1:12: a parameter without default follows one with a default");
  CHECK(errorOf("def f(*): pass") ==
        "TL0127 1:7: a parameter must follow a bare '*'");
  CHECK(errorOf("def f(/, a): pass") ==
        "TL0127 1:7: '/' needs a parameter before it");
  CHECK(errorOf("def f(*a, *b): pass") == "TL0127 1:11: '*' appears twice");
  CHECK(errorOf("def f(**k, a): pass") ==
        "TL0127 1:12: no parameter can follow '**'");
  CHECK(errorOf("def f[T = int](): pass") ==
        "TL0135 1:9: a default of a type parameter is newer than the grammar "
        "that tlc reads");
}

TEST_CASE("statements in the wrong place") {
  CHECK(errorOf("return 1") == "TL0128 1:1: 'return' outside a function");
  CHECK(errorOf("class A:\n  yield") ==
        "TL0128 2:3: 'yield' outside a function");
  CHECK(errorOf("break") == "TL0128 1:1: 'break' outside a loop");
  CHECK(errorOf("for x in y:\n  def f(): continue") ==
        "TL0128 2:12: 'continue' outside a loop");
  CHECK(errorOf("for x in y: pass\nelse: break") ==
        "TL0128 2:7: 'break' outside a loop");
}

TEST_CASE("patterns") {
  CHECK(errorOf("match x:\n  case a, a: pass") ==
        "TL0126 2:11: the captured name 'a' appears twice");
  CHECK(errorOf("match x:\n  case f'': pass") ==
        "TL0133 2:8: invalid pattern: an f-string is not a constant");
  CHECK(errorOf("match x:\n  case {a: 1}: pass") ==
        "TL0133 2:9: invalid pattern: a key must be a literal or a dotted "
        "name");
  CHECK(errorOf("match x:\n  case 1 as _: pass") ==
        "TL0133 2:13: invalid pattern: '_' cannot be used as a target");
}

TEST_CASE("errors show the line, the span, notes and help") {
  CHECK(Parsed("x = 1\nf(a, b=(1), c)\n").errors() ==
        "test.tl:2:13: error[TL0125]: a positional argument follows a keyword "
        "argument\n"
        "f(a, b=(1), c)\n"
        "            ^\n"
        "help: move it before the keyword arguments\n");
  CHECK(Parsed("x = (1, 22]\n").errors() ==
        "test.tl:1:11: error[TL0108]: ']' does not close the open '('\n"
        "x = (1, 22]\n"
        "          ^\n"
        "test.tl:1:5: note: '(' was opened here\n");
  CHECK(Parsed("  \nff(1)(2) = 3").errors() ==
        "test.tl:2:1: error[TL0122]: cannot assign to a call\n"
        "ff(1)(2) = 3\n"
        "^~~~~~~~\n");
}
