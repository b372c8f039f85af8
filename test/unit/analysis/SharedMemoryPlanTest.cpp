// Placement of shared tiles and the message when they do not fit.
#include "compiler/analysis/SharedMemoryPlan.h"
#include "test/support/Catch.h"

#include "mlir/IR/MLIRContext.h"

using namespace tlc::analysis;

namespace {
struct Plan {
  mlir::MLIRContext context;
  std::string message; // text of errors and notes, one a line
  mlir::FailureOr<SharedPlan> result = mlir::failure();

  mlir::Location at(unsigned line) {
    return mlir::FileLineColLoc::get(&context, "k.tl", line, 1);
  }
  void run(llvm::ArrayRef<SharedRequest> requests,
           llvm::StringRef target = "sm_90a") {
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diag) {
          message += diag.str() + "\n";
          for (mlir::Diagnostic &note : diag.getNotes()) {
            auto loc = mlir::cast<mlir::FileLineColLoc>(note.getLocation());
            message += std::to_string(loc.getLine()) + ": " + note.str() + "\n";
          }
          return mlir::success();
        });
    result = planSharedMemory(requests, *tlc::target::lookupTarget(target),
                              [&] { return mlir::emitError(at(1)); });
  }
};
} // namespace

TEST_CASE("shared plan: the most aligned come first, stages follow each other",
          "[shared-plan]") {
  Plan plan;
  plan.run({{"bars", 64, 1, 8, plan.at(1), "", ""},
            {"a_s", 8192, 3, 1024, plan.at(2), "64x64", "bfloat16"},
            {"v", 100, 2, 16, plan.at(3), "50", "float16"},
            {"b_s", 4096, 1, 1024, plan.at(4), "32x64", "bfloat16"}});
  REQUIRE(mlir::succeeded(plan.result));
  const SharedPlan &p = *plan.result;
  CHECK(p.offsets == llvm::SmallVector<int64_t>{28896, 0, 28672, 24576});
  // Slots of 100 bytes are 112 apart to stay aligned.
  CHECK(p.slotStride == llvm::SmallVector<int64_t>{64, 8192, 112, 4096});
  CHECK(p.totalBytes == 28960);
  CHECK(p.alignment == 1024);
  CHECK(plan.message.empty());
}

TEST_CASE("shared plan: nothing is no memory", "[shared-plan]") {
  Plan plan;
  plan.run({});
  REQUIRE(mlir::succeeded(plan.result));
  CHECK(plan.result->totalBytes == 0);
}

TEST_CASE("shared plan: the limit itself fits, a byte more does not",
          "[shared-plan]") {
  Plan full;
  full.run({{"t", 232448, 1, 16, full.at(3), "116224", "float16"}});
  CHECK(mlir::succeeded(full.result));
  Plan over;
  over.run({{"t", 232449, 1, 1, over.at(3), "232449", "int8"}});
  CHECK(mlir::failed(over.result));
}

TEST_CASE("shared plan: the message names sizes, limit and largest tiles",
          "[shared-plan]") {
  Plan plan;
  plan.run({{"small", 1024, 1, 16, plan.at(13), "512", "float16"},
            {"left_s", 131072, 1, 1024, plan.at(14), "256x256", "float16"},
            {"bars", 16, 1, 8, plan.at(1), "", ""},
            {"right_s", 131072, 1, 1024, plan.at(15), "256x256", "float16"}});
  CHECK(mlir::failed(plan.result));
  CHECK(plan.message ==
        "the kernel needs 263184 bytes of shared memory, sm_90a allows 232448 "
        "a block; use smaller tiles\n"
        "14: 'left_s' is 256x256 float16: 131072 bytes\n"
        "15: 'right_s' is 256x256 float16: 131072 bytes\n");
}

TEST_CASE("shared plan: stages count and can be reduced", "[shared-plan]") {
  Plan plan;
  plan.run({{"a_s", 65536, 4, 1024, plan.at(7), "256x128", "float16"}});
  CHECK(mlir::failed(plan.result));
  CHECK(plan.message ==
        "the kernel needs 262144 bytes of shared memory, sm_90a allows 232448 "
        "a block; use smaller tiles or fewer num_stages\n"
        "7: 'a_s' is 256x128 float16: 4 stages of 65536 bytes, 262144 bytes\n");
}

TEST_CASE("shared plan: the limit is the target's", "[shared-plan]") {
  Plan plan;
  plan.run({{"t", 200000, 1, 16, plan.at(3), "100000", "float16"}}, "sm_80");
  CHECK(mlir::failed(plan.result));
  CHECK(plan.message.find("sm_80 allows 166912") != std::string::npos);
}
