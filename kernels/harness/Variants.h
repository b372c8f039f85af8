// The compiled forms of a kernel file and how to run one: on a GPU through the
// runtime, or on the CPU through `tlc run`.
#pragma once

#include "kernels/harness/Options.h"
#include "runtime/core/DeviceBuffer.h"
#include "runtime/core/HostTensor.h"
#include "tlc/Kernel.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tlc::kernels {

/// Factory parameters of one compiled form; `name` is its file name.
struct Variant {
  std::string name;
  std::vector<std::string> defines; ///< "dtype=float16"
};

/// An argument by parameter name. An output's contents count only afterwards,
/// unless the kernel reads it, too.
struct Operand {
  std::string name;
  rt::HostTensor tensor;
  bool output = false;
  bool kept = false; ///< an output that is read: not poisoned before
};

/// Compiles `variant` into options.compiled, once in the life of the process;
/// with no compiler, takes what is there. Throws tlc::Error when there is
/// neither.
void compileVariant(const Options &options, const Variant &variant);

/// Throws tlc::Error (Environment) when `options` ask for a GPU that is not
/// there.
void requireDevice(const Options &options);

/// Loads the compiled form, compiling it first where it is missing.
Kernel loadVariant(const Options &options, const Variant &variant);

/// Runs `variant` once on the device that `options` name. Outputs are poisoned
/// before and hold the results after.
void runVariant(const Options &options, const Variant &variant,
                std::vector<Operand> &operands);

/// The operands on the device, for repeated launches.
class DeviceOperands {
public:
  explicit DeviceOperands(const std::vector<Operand> &operands);

  /// Arguments in the order of the kernel's parameters. Throws tlc::Error when
  /// an operand is missing.
  std::vector<Argument> arguments(const Kernel &kernel) const;
  rt::DeviceTensor &operator[](const std::string &name);

private:
  std::vector<std::pair<std::string, rt::DeviceTensor>> tensors;
};

} // namespace tlc::kernels
