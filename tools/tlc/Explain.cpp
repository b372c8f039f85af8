// tlc explain: what the compiler decided about a kernel and why, or the page of
// a diagnostic code.
#include "compiler/explain/Collect.h"
#include "compiler/explain/Printers.h"
#include "tools/tlc/Files.h"
#include "tools/tlc/Options.h"
#include "tools/tlc/Progress.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

namespace tlc::cli {

static cl::opt<bool> json("json", cl::desc("print JSON instead of text"),
                          cl::sub(explainCommand()), cl::cat(category()));
static cl::opt<std::string> svg("svg", cl::desc("draw the pipeline to a file"),
                                cl::value_desc("file"),
                                cl::sub(explainCommand()), cl::cat(category()));
static cl::opt<std::string>
    html("html", cl::desc("write a page with pictures and tables to a file"),
         cl::value_desc("file"), cl::sub(explainCommand()),
         cl::cat(category()));

/// "TL0304" in any case: two letters and digits.
static bool looksLikeCode(llvm::StringRef text) {
  return text.size() > 2 && text.take_front(2).equals_insensitive("TL") &&
         llvm::all_of(text.drop_front(2),
                      [](char c) { return c >= '0' && c <= '9'; });
}

static int explainCode(llvm::StringRef code) {
  const DiagInfo *info = findDiagnostic(code);
  if (!info)
    return usageError("there is no diagnostic '" + code + "'; codes are " +
                      allDiagnostics().front().code + " to " +
                      allDiagnostics().back().code);
  explain::printDiagnosticPage(*info, llvm::outs());
  return 0;
}

using Printer = void (*)(const explain::Explanation &, llvm::raw_ostream &);

static std::string print(const explain::Explanation &explanation,
                         Printer printer) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printer(explanation, os);
  return text;
}

/// Pictures and pages go to their files; the text is for when there are none.
static bool write(const explain::Explanation &explanation,
                  DiagnosticEngine &diags) {
  std::vector<OutputFile> files;
  std::string toPrint;
  auto add = [&](const std::string &path, Printer printer) {
    if (path == "-")
      toPrint += print(explanation, printer);
    else if (!path.empty())
      files.push_back({path, print(explanation, printer)});
  };
  add(svg, explain::printSvg);
  add(html, explain::printHtml);
  if (json)
    toPrint += print(explanation, explain::printJson);
  else if (files.empty() && toPrint.empty())
    toPrint = print(explanation, explain::printText);
  llvm::outs() << toPrint;
  return files.empty() || writeFiles(files, diags);
}

int runExplain() {
  if (looksLikeCode(inputFile()) && !llvm::sys::fs::exists(inputFile()))
    return explainCode(inputFile());
  CompileOptions options;
  if (!readCompileOptions(options))
    return kUsage;
  Compilation compilation(std::move(options));
  Status status = compilation.readFile(inputFile());
  explain::Explanation explanation;
  if (status == Status::Ok) {
    Progress progress;
    compilation.onStep = [&](llvm::StringRef step) {
      progress.step(step.str());
    };
    status = explain::explain(compilation, explanation);
    compilation.onStep = nullptr;
  }
  // What is known is said, also of a program that goes no further.
  if (!explanation.kernels.empty() &&
      !write(explanation, compilation.diagnostics()) && status == Status::Ok)
    status = Status::Input;
  return finish(compilation, status);
}

} // namespace tlc::cli
