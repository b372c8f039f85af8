// Decisions as MLIR remarks.
#include "compiler/support/Remarks.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace tlc {

static remark::RemarkOpts options(StringRef category) {
  return remark::RemarkOpts::name("decision").category(category);
}

void emitDecision(Operation *op, StringRef category, const llvm::Twine &text) {
  if (auto remark = remark::passed(op->getLoc(), options(category)))
    remark << text.str();
}

void emitMissedDecision(Operation *op, StringRef category,
                        const llvm::Twine &text) {
  if (auto remark = remark::missed(op->getLoc(), options(category)))
    remark << text.str();
}

namespace {
/// The engine prints through the diagnostic handlers; nothing else to stream.
struct NoStreamer : remark::detail::MLIRRemarkStreamerBase {
  void streamOptimizationRemark(const remark::detail::Remark &) override {}
};
} // namespace

LogicalResult listenToDecisions(MLIRContext &context) {
  remark::RemarkCategories all{std::string(".*"), std::nullopt, std::nullopt,
                               std::nullopt, std::nullopt};
  return remark::enableOptimizationRemarks(
      context, std::make_unique<NoStreamer>(),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), all,
      /*printAsEmitRemarks=*/true);
}

} // namespace tlc
