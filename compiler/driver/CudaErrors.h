// Who is at fault that NVRTC refuses a kernel's CUDA text: CUDA of the user's
// own (T.import_source, T.call_extern), or what we print around it.
#pragma once

#include "compiler/driver/ImportedText.h"
#include "compiler/target/nvrtc/Nvrtc.h"
#include "dialects/tile/Tile.h"

namespace tlc {

class CudaErrors {
public:
  /// `cuda` is the text of `kernel`, `source` that of its file `file`.
  CudaErrors(tile::KernelOp kernel, llvm::StringRef cuda, llvm::StringRef file,
             llvm::StringRef source, const nvrtc::Options &options,
             DiagnosticEngine &engine);

  /// Reports the user's faults that `log` tells of. False if there are none:
  /// then nothing is reported. Compiles parts of the text to find out.
  bool report(llvm::StringRef log);

private:
  struct Call {
    std::string callee;
    SourceSpan span;
  };

  bool reportTexts();
  bool reportCalls(llvm::ArrayRef<CudaError> errors);
  bool reportUnresolved(llvm::StringRef log);
  bool reportAssembler(llvm::StringRef log);
  bool reportSideEffect(llvm::StringRef log);

  /// NVRTC's log of `text`; empty if it compiles.
  std::string refusal(llvm::StringRef text, const nvrtc::Options &how);
  /// The kernel's text without those that were imported.
  std::string withoutTexts() const;
  const ImportedText *textOf(llvm::StringRef name) const;
  void reportAt(const ImportedText &imported, unsigned line, unsigned column,
                const llvm::Twine &message);
  SourceSpan spanOf(const ImportedText &imported) const;

  llvm::StringRef cuda, file, source;
  nvrtc::Options options;
  DiagnosticEngine &engine;
  SourceSpan kernelSpan;
  std::vector<ImportedText> texts;
  std::vector<Call> calls;
};

} // namespace tlc
