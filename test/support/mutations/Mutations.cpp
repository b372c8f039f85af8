#include "test/support/mutations/Mutations.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

const std::vector<Mutation> &tlc::test::allMutations() {
  static const std::vector<Mutation> list = [] {
    std::vector<Mutation> all;
    for (auto family :
         {fenceMutations, barrierMutations, productMutations, groupMutations,
          localMutations, protocolMutations, readAheadMutations, leverMutations,
          resourceMutations, gridMutations, storeMutations})
      llvm::append_range(all, family());
    return all;
  }();
  return list;
}

const Mutation *tlc::test::findMutation(StringRef name) {
  for (const Mutation &mutation : allMutations())
    if (mutation.name == name)
      return &mutation;
  return nullptr;
}

namespace {
struct MutatePass : PassWrapper<MutatePass, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MutatePass)

  MutatePass() = default;
  MutatePass(const MutatePass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "tlc-test-mutate"; }
  StringRef getDescription() const final {
    return "put one defect into a correct sm program";
  }
  void runOnOperation() override {
    const Mutation *mutation = findMutation(name);
    if (mutation && mutation->apply(getOperation()))
      return;
    getOperation().emitError()
        << (mutation ? "the kernel has no place for the defect '"
                     : "there is no defect '")
        << name << "'";
    signalPassFailure();
  }

  Option<std::string> name{*this, "name",
                           llvm::cl::desc("which one, as docs/mutations.md")};
};
} // namespace

void tlc::test::registerMutatePass() { PassRegistration<MutatePass>(); }
