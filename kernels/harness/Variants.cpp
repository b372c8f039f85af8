// Compile, load, run.
#include "kernels/harness/Variants.h"

#include "kernels/harness/Compare.h"
#include "kernels/harness/Process.h"
#include "runtime/core/Npy.h"
#include "runtime/core/Stream.h"
#include "tlc/Error.h"

#include <filesystem>
#include <map>
#include <unistd.h>

namespace tlc::kernels {

namespace fs = std::filesystem;

static std::string cubinPath(const Options &options, const Variant &variant) {
  return options.compiled + "/" + variant.name + ".cubin";
}

/// "tlc compile FILE -D a=b ..." up to what differs between its uses.
static std::vector<std::string>
command(const Options &options, const char *verb, const Variant &variant) {
  if (options.tlc.empty())
    throw Error(ErrorCode::Environment,
                "variant '" + variant.name + "' is not in '" +
                    options.compiled +
                    "' and --tlc names no compiler to make it");
  std::vector<std::string> words{options.tlc, verb, options.source};
  for (const auto *defines : {&variant.defines, &options.defines})
    for (const std::string &define : *defines)
      words.insert(words.end(), {"-D", define});
  return words;
}

static void runCommand(const std::vector<std::string> &words) {
  const int code = runProgram(words);
  if (code == 0)
    return;
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  throw Error(ErrorCode::Compile,
              "exit code " + std::to_string(code) + " from: " + text);
}

void compileVariant(const Options &options, const Variant &variant) {
  // Whether each variant compiled: one that did not is not tried again.
  static std::map<std::string, bool> tried;
  const std::string target = cubinPath(options, variant);
  if (options.tlc.empty() && fs::exists(target))
    return;
  const auto [entry, isNew] = tried.emplace(target, false);
  if (!isNew) {
    if (!entry->second)
      throw Error(ErrorCode::Compile, "it did not compile before");
    return;
  }
  std::vector<std::string> words = command(options, "compile", variant);
  fs::create_directories(options.compiled);
  words.insert(words.end(), {"-o", target});
  runCommand(words);
  entry->second = true;
}

void requireDevice(const Options &options) {
  std::string why;
  if (!options.onCpu() && !rt::Driver::available(&why))
    throw Error(ErrorCode::Environment, why);
}

Kernel loadVariant(const Options &options, const Variant &variant) {
  compileVariant(options, variant);
  return load(cubinPath(options, variant));
}

DeviceOperands::DeviceOperands(const std::vector<Operand> &operands) {
  for (const Operand &operand : operands)
    tensors.emplace_back(operand.name, rt::DeviceTensor(operand.tensor));
}

rt::DeviceTensor &DeviceOperands::operator[](const std::string &name) {
  for (auto &[known, tensor] : tensors)
    if (known == name)
      return tensor;
  throw Error(ErrorCode::InvalidArgument, "no operand called '" + name + "'");
}

std::vector<Argument> DeviceOperands::arguments(const Kernel &kernel) const {
  std::vector<Argument> list;
  for (const std::string &parameter : kernel.parameters()) {
    const auto before = list.size();
    for (const auto &[name, tensor] : tensors)
      if (name == parameter)
        list.emplace_back(tensor.view());
    if (list.size() == before)
      throw Error(ErrorCode::InvalidArgument,
                  "kernel '" + kernel.name() + "' takes '" + parameter +
                      "', which the host program does not have");
  }
  return list;
}

static void runOnGpu(const Options &options, const Variant &variant,
                     std::vector<Operand> &operands) {
  const Kernel kernel = loadVariant(options, variant);
  DeviceOperands device(operands);
  const std::vector<Argument> arguments = device.arguments(kernel);
  kernel.launchArguments(nullptr, arguments);
  rt::synchronizeDevice();
  for (Operand &operand : operands)
    if (operand.output)
      operand.tensor = device[operand.name].download();
}

namespace {
/// A folder of our own that goes away with the object.
struct TemporaryFolder {
  fs::path path;
  TemporaryFolder() {
    path =
        fs::temp_directory_path() / ("tlc-kernel-" + std::to_string(getpid()));
    fs::create_directories(path);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};
} // namespace

static void runOnCpu(const Options &options, const Variant &variant,
                     std::vector<Operand> &operands) {
  const TemporaryFolder folder;
  std::vector<std::string> words = command(options, "run", variant);
  words.insert(words.end(), {"--device", options.device});
  for (const Operand &operand : operands) {
    const std::string file = (folder.path / (operand.name + ".npy")).string();
    rt::writeNpy(file, operand.tensor);
    words.insert(words.end(), {"--arg", operand.name + "=@" + file});
    if (operand.output)
      words.insert(words.end(), {"--out", operand.name + "=@" + file});
  }
  runCommand(words);
  for (Operand &operand : operands)
    if (operand.output)
      operand.tensor =
          rt::readNpy((folder.path / (operand.name + ".npy")).string(),
                      operand.tensor.dtype());
}

void runVariant(const Options &options, const Variant &variant,
                std::vector<Operand> &operands) {
  for (Operand &operand : operands)
    if (operand.output && !operand.kept)
      poison(operand.tensor);
  if (options.onCpu())
    runOnCpu(options, variant, operands);
  else
    runOnGpu(options, variant, operands);
}

} // namespace tlc::kernels
