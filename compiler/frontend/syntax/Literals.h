// The values of number and string tokens.
#pragma once

#include "compiler/frontend/syntax/AST.h"
#include "compiler/support/Diagnostics.h"

namespace tlc::frontend {

/// Fills `constant` with the value of a Number token.
void decodeNumber(llvm::StringRef text, ast::Module &module,
                  ast::Constant &constant);

/// A string token taken apart: `rb'''...'''`.
struct StringLiteral {
  llvm::StringRef body; // between the quotes
  bool isBytes = false;
  bool isRaw = false;
};
StringLiteral splitString(llvm::StringRef token);

/// Appends the value of string text to `out`: escapes replaced unless `isRaw`,
/// line ends as '\n', and in the text of f-strings (`isFString`) `{{` as `{`.
/// Reports an invalid escape and returns false.
bool decodeString(llvm::StringRef body, bool isBytes, bool isRaw,
                  bool isFString, DiagnosticEngine &diags, std::string &out);

} // namespace tlc::frontend
