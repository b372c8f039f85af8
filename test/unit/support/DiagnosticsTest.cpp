// The table of diagnostics, and how they are collected and rendered.
#include "compiler/support/Diagnostics.h"
#include "test/support/Catch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace tlc;
namespace fs = std::filesystem;

namespace {
struct Fixture {
  Fixture() : diags(sources) {
    text = llvm::MemoryBuffer::getMemBufferCopy(
        "first line\n    T.gemm(A, B)\n\tlast = 1\n", "k.tl");
    begin = text->getBufferStart();
    sources.AddNewSourceBuffer(std::move(text), {});
  }
  llvm::SMRange range(unsigned offset, unsigned length) const {
    return {llvm::SMLoc::getFromPointer(begin + offset),
            llvm::SMLoc::getFromPointer(begin + offset + length)};
  }
  std::string printed() const {
    std::string out;
    llvm::raw_string_ostream os(out);
    diags.print(os);
    return out;
  }

  std::unique_ptr<llvm::MemoryBuffer> text;
  const char *begin;
  llvm::SourceMgr sources;
  DiagnosticEngine diags;
};
} // namespace

TEST_CASE("every entry has its own code and keeps the rules for texts") {
  llvm::StringSet<> codes;
  for (const DiagInfo &entry : allDiagnostics()) {
    INFO(entry.code.str());
    CHECK(codes.insert(entry.code).second);
    CHECK(&info(entry.diag) == &entry);
    CHECK(findDiagnostic(entry.code) == &entry);
    CHECK(entry.code.size() == 6);
    CHECK(entry.code.starts_with("TL"));
    CHECK(!entry.text.empty());
    CHECK(!entry.text.ends_with("."));
    CHECK(!entry.help.ends_with("."));
    CHECK(entry.explanation.ends_with("."));
  }
  CHECK(findDiagnostic("tl0304") == &info(Diag::GemmOperandGlobal));
  CHECK(findDiagnostic("TL9999") == nullptr);
}

/// "TL0304" for each file of that name in the folder of the tests.
static llvm::StringSet<> codesWithTest() {
  llvm::StringSet<> codes;
  const fs::path folder = fs::path(TLC_SOURCE_DIR) / "test/lit/diagnostics";
  for (const auto &entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    llvm::StringRef code = llvm::StringRef(name).take_until(
        [](char c) { return c == '-' || c == '.'; });
    if (!code.starts_with("TL"))
      continue;
    INFO(name);
    CHECK(findDiagnostic(code) != nullptr);
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    CHECK_THAT(text, Catch::Contains("[" + code.str() + "]"));
    codes.insert(code);
  }
  return codes;
}

TEST_CASE("every entry has a file in test/lit/diagnostics and a place in "
          "the reference") {
  const llvm::StringSet<> tested = codesWithTest();
  std::ifstream file(fs::path(TLC_SOURCE_DIR) /
                     "docs/reference/diagnostics.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  for (const DiagInfo &entry : allDiagnostics()) {
    INFO(entry.code.str());
    CHECK_THAT(page, Catch::Contains("## " + entry.code.str() + "\n"));
    // No input is known to bring these faults of tlc about.
    bool isFault = entry.diag == Diag::InternalError ||
                   entry.diag == Diag::MachineCodeUnsafe;
    CHECK((isFault || tested.contains(entry.code)));
  }
}

TEST_CASE_METHOD(Fixture, "an error with note and help") {
  diags.report(Diag::GemmOperandGlobal, range(22, 1))
          .note(range(0, 5), "'A' is declared here")
      << "A"
      << "A";
  CHECK(printed() ==
        "k.tl:2:12: error[TL0304]: T.gemm reads A from shared memory or "
        "registers, but 'A' is a global tensor\n"
        "    T.gemm(A, B)\n"
        "           ^\n"
        "k.tl:1:1: note: 'A' is declared here\n"
        "help: copy the tile first: T.copy(A[...], A_s)\n");
}

TEST_CASE_METHOD(Fixture, "positions without a range") {
  diags.report(Diag::DivisionByZero, SourceSpan{"k.tl", 2, 5, 2, 11});
  diags.report(Diag::DivisionByZero, SourceSpan{"k.tl", 2, 12, 3, 3});
  diags.report(Diag::DivisionByZero, SourceSpan{"k.tl", 90, 1, 90, 2});
  diags.report(Diag::DivisionByZero, SourceSpan{"other.tl", 3, 7, 3, 8});
  diags.report(Diag::DivisionByZero, SourceSpan{"other.tl"});
  diags.report(Diag::DivisionByZero);
  CHECK(printed() == "k.tl:2:5: error[TL0221]: division by zero\n"
                     "    T.gemm(A, B)\n"
                     "    ^~~~~~\n"
                     "k.tl:2:12: error[TL0221]: division by zero\n"
                     "    T.gemm(A, B)\n"
                     "           ^~~~~\n"
                     "k.tl:90:1: error[TL0221]: division by zero\n"
                     "other.tl:3:7: error[TL0221]: division by zero\n"
                     "other.tl: error[TL0221]: division by zero\n"
                     "error[TL0221]: division by zero\n");
}

TEST_CASE_METHOD(Fixture, "classes have their labels") {
  diags.report(Diag::UnsupportedName) << "T.foo";
  CHECK(diags.hasErrors());
  CHECK(printed() == "unsupported[TL0203]: 'T.foo' is not supported yet\n");
}

TEST_CASE_METHOD(Fixture, "a repeated diagnostic is dropped") {
  for (int i = 0; i < 3; ++i)
    diags.report(Diag::UnknownName, range(0, 5)) << "first";
  diags.report(Diag::UnknownName, range(0, 5)) << "second";
  diags.report(Diag::UnknownName, range(1, 5)) << "first";
  CHECK(diags.errorCount() == 3);
}

TEST_CASE_METHOD(Fixture, "errors beyond the limit are counted") {
  CHECK(!diags.hasErrors());
  for (int i = 0; i < 23; ++i)
    diags.report(Diag::UnknownName) << i;
  CHECK(diags.isFull());
  CHECK(diags.errorCount() == 23);
  CHECK(diags.diagnostics().size() == 20);
  CHECK(llvm::StringRef(printed()).ends_with("and 3 more errors\n"));
}

TEST_CASE_METHOD(Fixture, "a report is a failure") {
  auto fails = [&]() -> llvm::LogicalResult {
    return diags.report(Diag::DivisionByZero, range(0, 1));
  };
  auto failsOr = [&]() -> llvm::FailureOr<int> {
    return diags.report(Diag::UnknownName, range(0, 1)) << "x";
  };
  CHECK(llvm::failed(fails()));
  CHECK(llvm::failed(failsOr()));
  CHECK(diags.errorCount() == 2);
}

TEST_CASE_METHOD(Fixture, "JSON carries the same fields") {
  diags.report(Diag::IntegerDivision, range(15, 6)).note("no place");
  std::string out;
  llvm::raw_string_ostream os(out);
  diags.printJSON(os);
  auto parsed = llvm::json::parse(out);
  REQUIRE(bool(parsed));
  REQUIRE(parsed->getAsArray()->size() == 1);
  const llvm::json::Object &object =
      *parsed->getAsArray()->front().getAsObject();
  CHECK(object.getString("code") == "TL0222");
  CHECK(object.getString("class") == "error");
  CHECK(object.getString("text") == "'/' of two integers is ambiguous");
  CHECK(object.getString("file") == "k.tl");
  CHECK(object.getInteger("line") == 2);
  CHECK(object.getInteger("column") == 5);
  CHECK(object.getInteger("endLine") == 2);
  CHECK(object.getInteger("endColumn") == 11);
  const llvm::json::Array &notes = *object.getArray("notes");
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].getAsObject()->getString("text") == "no place");
  CHECK(!notes[0].getAsObject()->getString("file"));
  CHECK(object.getArray("help")->size() == 1);
}

TEST_CASE("holes are filled, other braces stay") {
  CHECK(fillHoles("{1} and {0}, {x} {", {"a", "b"}) == "b and a, {x} {");
  CHECK(fillHoles("{0}{0}{2}", {"a"}) == "aa");
  CHECK(fillHoles("a{0}b", {"{0}"}) == "a{0}b");
}

TEST_CASE("near names") {
  std::vector<llvm::StringRef> names = {"alloc_shared", "alloc_fragment",
                                        "copy", "gemm", "Parallel"};
  CHECK(nearestName("aloc_shared", names) == "alloc_shared");
  CHECK(nearestName("alloc_fragmnet", names) == "alloc_fragment");
  CHECK(nearestName("parallel", names) == "Parallel");
  CHECK(nearestName("cpoy", names) == "copy");
  CHECK(nearestName("gem", names) == "gemm");
  CHECK(nearestName("reduce", names).empty());
  CHECK(nearestName("x", names).empty());
  CHECK(nearestName("copy", {}).empty());
}

TEST_CASE("numbers in messages") {
  CHECK(shortestText(0.1) == "0.1");
  CHECK(shortestText(3) == "3");
  CHECK(shortestText(1.0 / 3) == "0.3333333333333333");
}
