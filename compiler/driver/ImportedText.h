// CUDA text of the user's own (T.import_source) and what NVRTC says about it:
// messages as lines and columns of the text, and those as places in the .tl
// file whose string literal the text is.
#pragma once

#include "compiler/support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace tlc {

/// An error that NVRTC's front end reports. `column` 0: unknown. An error at
/// the end of all text has no file.
struct CudaError {
  std::string file;
  unsigned line = 0, column = 0; ///< from 1
  std::string text;
  std::string sourceLine; ///< as NVRTC shows it
};
std::vector<CudaError> parseCudaErrors(llvm::StringRef log);

/// One text of T.import_source. `line` and `column` are those of the argument
/// in the kernel's file; 0 where the program does not say.
struct ImportedText {
  unsigned line = 0, column = 0;
  std::string name; ///< what #line calls the text
  std::string text;
};
/// The texts of a kernel's `prelude`: each behind a #line with its name.
std::vector<ImportedText> importedTexts(llvm::StringRef prelude);
/// Line `number` of a text; empty beyond its end.
llvm::StringRef lineOf(llvm::StringRef text, unsigned number);

/// The place of line and column (from 1; line 0: the end, column 0: the line's
/// first word) of an imported text in `source`, which is the text of `file`:
/// inside the string literal whose value the text is. None if there is no such
/// literal.
std::optional<SourceSpan> placeInLiteral(llvm::StringRef source,
                                         llvm::StringRef file,
                                         const ImportedText &imported,
                                         unsigned line, unsigned column);

} // namespace tlc
