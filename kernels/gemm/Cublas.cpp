// cublasGemmEx through dlopen. cuBLAS is column-major: a row-major C = A B is
// its C^T = B^T A^T, so the operands swap and their leading dimensions are our
// row lengths.
#include "kernels/gemm/Cublas.h"

#include "tlc/Error.h"

#include <cstdlib>
#include <dlfcn.h>

namespace tlc::kernels {

// Values of the cuBLAS and CUDA headers that the calls take.
static constexpr int kOpN = 0, kOpT = 1;
static constexpr int kReal16F = 2, kReal16BF = 14;
static constexpr int kCompute32F = 68, kDefaultAlgorithm = -1;

// What cuBLAS recommends for Hopper.
static constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

struct Cublas::Functions {
  int (*create)(void **handle) = nullptr;
  int (*destroy)(void *handle) = nullptr;
  int (*setStream)(void *handle, rt::cu::Stream stream) = nullptr;
  int (*setWorkspace)(void *handle, void *memory, std::size_t bytes) = nullptr;
  int (*gemmEx)(void *handle, int opA, int opB, int m, int n, int k,
                const void *alpha, const void *a, int typeA, int lda,
                const void *b, int typeB, int ldb, const void *beta, void *c,
                int typeC, int ldc, int computeType, int algorithm) = nullptr;
};

static void *openLibrary() {
  for (const char *name :
       {static_cast<const char *>(std::getenv("TLC_CUBLAS")), "libcublas.so.13",
        "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"}) {
    if (name == nullptr)
      continue;
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return library;
  }
  return nullptr;
}

std::unique_ptr<Cublas> Cublas::open(std::string &why) {
  void *library = openLibrary();
  if (library == nullptr) {
    why = "no libcublas.so.13 or .12 (TLC_CUBLAS may name one)";
    return nullptr;
  }
  auto functions = std::make_unique<Functions>();
  const auto bind = [library](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, name));
    return function != nullptr;
  };
  void *handle = nullptr;
  if (!bind(functions->create, "cublasCreate_v2") ||
      !bind(functions->destroy, "cublasDestroy_v2") ||
      !bind(functions->setStream, "cublasSetStream_v2") ||
      !bind(functions->setWorkspace, "cublasSetWorkspace_v2") ||
      !bind(functions->gemmEx, "cublasGemmEx") ||
      functions->create(&handle) != 0) {
    why = "cuBLAS is there but cannot be used";
    return nullptr;
  }
  return std::unique_ptr<Cublas>(new Cublas(std::move(functions), handle));
}

Cublas::Cublas(std::unique_ptr<Functions> functions, void *handle)
    : functions(std::move(functions)), handle(handle),
      workspace(kWorkspaceBytes) {}

Cublas::~Cublas() { functions->destroy(handle); }

void Cublas::gemm(const GemmProblem &problem, const Tensor &a, const Tensor &b,
                  const Tensor &c, rt::cu::Stream stream) const {
  const float one = 1, zero = 0;
  const int type = a.dtype == DType::Float16 ? kReal16F : kReal16BF;
  const auto m = static_cast<int>(problem.m), n = static_cast<int>(problem.n),
             k = static_cast<int>(problem.k);
  int status = functions->setStream(handle, stream);
  // A change of the stream goes back to a workspace of cuBLAS's own.
  if (status == 0)
    status =
        functions->setWorkspace(handle, workspace.data(), workspace.size());
  if (status == 0)
    status = functions->gemmEx(handle, problem.transB ? kOpT : kOpN,
                               problem.transA ? kOpT : kOpN, n, m, k, &one,
                               b.data, type, problem.transB ? k : n, a.data,
                               type, problem.transA ? m : k, &zero, c.data,
                               type, n, kCompute32F, kDefaultAlgorithm);
  if (status != 0)
    throw Error(ErrorCode::Device,
                "cublasGemmEx failed with status " + std::to_string(status));
}

} // namespace tlc::kernels
