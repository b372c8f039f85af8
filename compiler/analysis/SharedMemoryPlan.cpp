// Placement of shared tiles and the message when they do not fit.
#include "compiler/analysis/SharedMemoryPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <numeric>

using namespace mlir;

namespace tlc::analysis {

static int64_t slotStride(const SharedRequest &request) {
  return llvm::alignTo(request.bytesPerSlot, request.alignment);
}

static int64_t bytesOf(const SharedRequest &request) {
  return slotStride(request) * request.stages;
}

/// Indices of the requests, those with larger `key` first, ties in their order.
static llvm::SmallVector<size_t>
sortedIndices(llvm::ArrayRef<SharedRequest> requests,
              llvm::function_ref<int64_t(const SharedRequest &)> key) {
  llvm::SmallVector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    int64_t first = key(requests[a]), second = key(requests[b]);
    return first != second ? first > second : a < b;
  });
  return order;
}

static void noteTile(InFlightDiagnostic &diag, const SharedRequest &request) {
  Diagnostic &note = diag.attachNote(request.loc);
  note << "'" << request.name << "' is " << request.shape << " "
       << request.dtype << ": ";
  if (request.stages > 1)
    note << request.stages << " stages of " << slotStride(request)
         << " bytes, ";
  note << bytesOf(request) << " bytes";
}

static LogicalResult
reportExceeded(llvm::ArrayRef<SharedRequest> requests, int64_t needed,
               const target::TargetInfo &target,
               llvm::function_ref<InFlightDiagnostic()> emitError) {
  llvm::SmallVector<size_t> order = sortedIndices(requests, bytesOf);
  llvm::erase_if(order, [&](size_t i) { return requests[i].shape.empty(); });
  bool staged = llvm::any_of(
      requests, [](const SharedRequest &r) { return r.stages > 1; });
  InFlightDiagnostic diag = emitError();
  diag << "the kernel needs " << needed << " bytes of shared memory, "
       << target.name << " allows " << target.maxDynamicSharedBytes
       << " a block; use smaller tiles"
       << (staged ? " or fewer num_stages" : "");
  for (size_t index : llvm::ArrayRef(order).take_front(2))
    noteTile(diag, requests[index]);
  return diag;
}

FailureOr<SharedPlan>
planSharedMemory(llvm::ArrayRef<SharedRequest> requests,
                 const target::TargetInfo &target,
                 llvm::function_ref<InFlightDiagnostic()> emitError) {
  llvm::SmallVector<size_t> order = sortedIndices(
      requests, [](const SharedRequest &r) { return r.alignment; });
  SharedPlan plan;
  plan.offsets.resize(requests.size());
  plan.slotStride.resize(requests.size());
  for (size_t index : order) {
    const SharedRequest &request = requests[index];
    assert(llvm::isPowerOf2_64(request.alignment) && request.stages >= 1);
    plan.alignment = std::max(plan.alignment, request.alignment);
    plan.offsets[index] = llvm::alignTo(plan.totalBytes, request.alignment);
    plan.slotStride[index] = slotStride(request);
    plan.totalBytes = plan.offsets[index] + bytesOf(request);
  }
  if (plan.totalBytes > target.maxDynamicSharedBytes)
    return reportExceeded(requests, plan.totalBytes, target, emitError);
  return plan;
}

} // namespace tlc::analysis
