// Splits a buffer into tokens, all at once: the parser needs arbitrary
// look-ahead in a few places. Handles indentation, line joining and f-strings
// (PEP 701). Accepts any bytes.
#pragma once

#include "compiler/frontend/syntax/Token.h"
#include "compiler/support/Diagnostics.h"

#include <functional>
#include <vector>

namespace tlc::frontend {

/// The result of lexing. The tokens end with EndOfFile, or with Error if a
/// token could not be formed: the parser reports it if it gets that far, since
/// an earlier syntax error matters more.
struct TokenStream {
  std::vector<Token> tokens;
  /// Reports what is wrong; set if the last token is Error.
  std::function<void(DiagnosticEngine &)> reportError;
  /// The outermost bracket that is open at the end of the file or where a wrong
  /// one closes it: a syntax error behind it is most likely its consequence.
  /// Empty if there is none.
  llvm::StringRef unclosedBracket;
};

/// Lexes `text`, which must be followed by a NUL as MemoryBuffers are. Tokens
/// point into it.
TokenStream lex(llvm::StringRef text);

} // namespace tlc::frontend
