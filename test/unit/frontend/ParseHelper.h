// Parses text for the tests of the syntax front end.
#pragma once

#include "compiler/frontend/syntax/Parser.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace tlc::frontend {

/// A parsed text, its tree (null after an error) and its diagnostics.
struct Parsed {
  explicit Parsed(llvm::StringRef text)
      : buffer(sources.AddNewSourceBuffer(
            llvm::MemoryBuffer::getMemBufferCopy(text, "test.tl"), {})),
        diags(sources), module(parseModule(sources, buffer, diags)) {}

  std::string dump() const {
    std::string out;
    llvm::raw_string_ostream os(out);
    if (module)
      ast::print(*module, sources, os);
    else
      diags.print(os);
    return out;
  }
  std::string errors() const {
    std::string out;
    llvm::raw_string_ostream os(out);
    diags.print(os);
    return out;
  }
  /// The expression of a text that is one expression statement.
  const ast::Expr *expr() const {
    return llvm::cast<ast::ExprStmt>(module->body.front())->value;
  }

  llvm::SourceMgr sources;
  unsigned buffer;
  DiagnosticEngine diags;
  std::unique_ptr<ast::Module> module;
};

} // namespace tlc::frontend
