// Entry point of the syntax front end: text in, syntax tree or diagnostics out.
#pragma once

#include "compiler/frontend/syntax/AST.h"
#include "compiler/support/Diagnostics.h"

namespace tlc::frontend {

/// Parses the buffer `bufferId` of `sources` as a Python 3.12 file. On a syntax
/// error reports it to `diags` and returns null: parsing stops at the first
/// one. Accepts any bytes; nesting deeper than kMaxNesting is an error. The
/// module points into the buffer, so `sources` must outlive it.
std::unique_ptr<ast::Module> parseModule(llvm::SourceMgr &sources,
                                         unsigned bufferId,
                                         DiagnosticEngine &diags);

/// Bounds on nested brackets and operators, on Expr::height and on nested
/// statements (an `elif` counts as one inside the `if`).
constexpr unsigned kMaxNesting = 200;
constexpr unsigned kMaxHeight = 1000;
constexpr unsigned kMaxBlocks = 1000;

} // namespace tlc::frontend
