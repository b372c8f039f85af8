// MLIR diagnostics as ours: places, codes, help.
#include "compiler/driver/MlirDiagnostics.h"
#include "test/support/Catch.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"

using namespace tlc;

namespace {
struct Bridge {
  llvm::SourceMgr sources;
  DiagnosticEngine engine{sources};
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler{&context,
                                        [this](mlir::Diagnostic &diagnostic) {
                                          report(engine, diagnostic);
                                          return mlir::success();
                                        }};
  mlir::Location place() {
    return mlir::FileLineColRange::get(mlir::StringAttr::get(&context, "k.tl"),
                                       3, 5, 3, 9);
  }
  const Diagnostic &only() {
    REQUIRE(engine.diagnostics().size() == 1);
    return engine.diagnostics()[0];
  }
};
} // namespace

TEST_CASE("driver: the place inside names, calls and fusions") {
  Bridge b;
  mlir::Location unknown = mlir::UnknownLoc::get(&b.context);
  mlir::Location named =
      mlir::NameLoc::get(mlir::StringAttr::get(&b.context, "x"), b.place());
  mlir::Location fused = mlir::FusedLoc::get(&b.context, {unknown, named});
  mlir::Location call = mlir::CallSiteLoc::get(fused, unknown);
  SourceSpan span = sourceSpan(call);
  CHECK(span.file == "k.tl");
  CHECK(span.line == 3);
  CHECK(span.column == 5);
  CHECK(span.endColumn == 9);
  CHECK(sourceSpan(unknown).line == 0);
}

TEST_CASE("driver: an error worded like an entry gets its code and help") {
  Bridge b;
  mlir::emitError(b.place(), "the kernel needs 300000 bytes of shared memory, "
                             "sm_90a allows 232448 a block; use smaller tiles");
  CHECK(b.only().code() == "TL0401");
  CHECK(b.only().text == "the kernel needs 300000 bytes of shared memory, "
                         "sm_90a allows 232448 a block");
  CHECK(b.only().help.size() == 1);
}

TEST_CASE("driver: other errors keep their text") {
  Bridge b;
  mlir::emitError(b.place(), "the kernel needs a rest");
  CHECK(b.only().diag == Diag::KernelRefused);
  CHECK(b.only().text == "the kernel needs a rest");
}

TEST_CASE("driver: what cannot be done yet is unsupported") {
  Bridge b;
  mlir::emitError(b.place(), "this copy is not supported yet");
  CHECK(b.only().diag == Diag::KernelUnsupported);
}

TEST_CASE("driver: notes keep their places, help: notes become help") {
  Bridge b;
  {
    mlir::InFlightDiagnostic error = mlir::emitError(b.place(), "no");
    error.attachNote(b.place()) << "because of this";
    error.attachNote() << "help: do that";
  }
  REQUIRE(b.only().notes.size() == 1);
  CHECK(b.only().notes[0].text == "because of this");
  CHECK(b.only().notes[0].span.line == 3);
  CHECK(b.only().help == std::vector<std::string>{"do that"});
}

TEST_CASE("driver: warnings are no errors") {
  Bridge b;
  mlir::emitWarning(b.place(), "careful");
  CHECK_FALSE(b.engine.hasErrors());
  CHECK(b.only().diag == Diag::KernelWarning);
}
