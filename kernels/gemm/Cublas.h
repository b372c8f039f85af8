// The peer: cuBLAS, loaded at run time where it is installed.
#pragma once

#include "kernels/gemm/reference.h"
#include "runtime/core/DeviceBuffer.h"
#include "runtime/core/Driver.h"
#include "tlc/Tensor.h"

#include <memory>
#include <string>

namespace tlc::kernels {

class Cublas {
public:
  /// Null when there is no cuBLAS; `why` then says what was looked for. Needs a
  /// current CUDA context.
  static std::unique_ptr<Cublas> open(std::string &why);
  ~Cublas();
  Cublas(const Cublas &) = delete;
  Cublas &operator=(const Cublas &) = delete;

  /// Enqueues the same product in float32 accumulation, also while `stream` is
  /// captured into a graph: the workspace is ours. Throws tlc::Error (Device)
  /// when cuBLAS reports a failure.
  void gemm(const GemmProblem &problem, const Tensor &a, const Tensor &b,
            const Tensor &c, rt::cu::Stream stream) const;

private:
  struct Functions;
  Cublas(std::unique_ptr<Functions> functions, void *handle);
  std::unique_ptr<Functions> functions;
  void *handle;
  rt::DeviceBuffer workspace;
};

} // namespace tlc::kernels
