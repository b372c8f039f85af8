#include "tools/tlc/BenchCompiler.h"

#include "runtime/jit/CompiledSource.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace tlc::cli {

bool applyOption(CompileOptions &options, llvm::StringRef option) {
  auto [name, value] = option.split('=');
  if (name == "--war-fence") {
    std::optional<WarFence> fence = parseWarFence(value);
    if (fence)
      options.warFence = *fence;
    return fence.has_value();
  }
  if (name == "--no-warp-specialize") {
    options.warpSpecialize = false;
    options.cpAsync = value == "cp-async";
    return value.empty() || value == "tma" || value == "cp-async";
  }
  if (name == "--disable") {
    std::string unknown;
    std::optional<LeverSet> asked = LeverSet::parse(value, unknown);
    if (!asked)
      return false;
    for (const LeverText &lever : allLevers())
      if (!asked->isOn(lever.lever))
        options.levers.disable(lever.lever);
    return true;
  }
  if (option == "--fast-math") {
    options.fastMath = true;
    return true;
  }
  return false;
}

std::vector<kernels::Lever> levers() {
  std::vector<kernels::Lever> list;
  for (const LeverText &lever : allLevers())
    list.push_back(
        {lever.name.str(), "--disable=" + lever.name.str(), lever.help.str()});
  return list;
}

static Kernel compileForm(const CompileOptions &base, const std::string &text,
                          const std::string &fileName,
                          const kernels::Form &form) {
  rt::CompileRequest request;
  request.source = std::make_shared<const Source>(Source{text, fileName});
  request.options = base;
  for (const auto &[name, value] : form.defines)
    request.options.defines[name] = value;
  for (const std::string &option : form.options)
    if (!applyOption(request.options, option))
      throw Error(ErrorCode::Unsupported,
                  "this compiler has no option " + option);
  std::shared_ptr<const rt::CompiledSource> compiled =
      rt::compileCached(request);
  if (compiled->kernels.size() != 1)
    throw Error(ErrorCode::InvalidArgument,
                "'" + fileName + "' has " +
                    std::to_string(compiled->kernels.size()) +
                    " kernels; choose one with --kernel");
  return Kernel(compiled->kernels.front());
}

kernels::BenchTools benchTools(const CompileOptions &base) {
  kernels::BenchTools tools;
  tools.compile = [base](const std::string &text, const std::string &fileName,
                         const kernels::Form &form) {
    return compileForm(base, text, fileName, form);
  };
  tools.levers = levers();
  // Lines, because tables come between them.
  tools.progress = [](const std::string &text) {
    if (llvm::sys::Process::StandardErrIsDisplayed() && !text.empty())
      llvm::errs() << text << "\n";
  };
  return tools;
}

} // namespace tlc::cli
