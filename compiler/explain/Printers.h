// Forms of an explanation. All of them are deterministic: equal input, equal
// bytes.
#pragma once

#include "compiler/explain/Explanation.h"
#include "compiler/support/Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

namespace tlc::explain {

/// For a terminal, at most 100 columns wide.
void printText(const Explanation &explanation, llvm::raw_ostream &os);

/// The model as one JSON object.
void printJson(const Explanation &explanation, llvm::raw_ostream &os);

/// The pipelines of all launches over a few turns; see Timeline.h.
void printSvg(const Explanation &explanation, llvm::raw_ostream &os);

/// One page without scripts or foreign files: pictures, tables, reasons.
void printHtml(const Explanation &explanation, llvm::raw_ostream &os);

/// The page of a diagnostic code.
void printDiagnosticPage(const DiagInfo &info, llvm::raw_ostream &os);

} // namespace tlc::explain
