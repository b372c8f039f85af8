// Incident B for blocks of many shapes: what the grid barrier becomes, what it
// computes for every order of the blocks, and that the verifier finds a leader
// chosen by one coordinate.
#include "compiler/driver/Compiler.h"
#include "compiler/interp/SmMachine.h"
#include "compiler/interp/TileInterp.h"
#include "compiler/verify/Verify.h"
#include "test/support/Catch.h"

#include "llvm/Support/raw_ostream.h"

using namespace tlc;

namespace {
struct Shape {
  const char *text;
  int64_t x, y, z;
  int64_t leaders() const { return y * z; } ///< threads with x == 0
};
} // namespace

static const Shape shapes[] = {
    {"32", 32, 1, 1},         {"(32, 2)", 32, 2, 1}, {"(32, 1, 2)", 32, 1, 2},
    {"(16, 2, 2)", 16, 2, 2}, {"(1, 32)", 1, 32, 1}, {"(8, 8, 4)", 8, 8, 4},
    {"(33, 3)", 33, 3, 1},    {"1024", 1024, 1, 1},  {"(1, 1, 64)", 1, 1, 64},
    {"(7, 5, 3)", 7, 5, 3},   {"1", 1, 1, 1},        {"(2, 3)", 2, 3, 1}};

/// Each block writes its number plus one and then adds what all wrote, twice.
/// Every thread writes its linear number.
static std::string sourceFor(const Shape &shape) {
  int64_t threads = shape.x * shape.y * shape.z;
  std::string blocks = "3", sizes = std::to_string(threads);
  return "@T.prim_func\n"
         "def meet(A: T.Tensor((" +
         blocks + ",), \"int32\"), B: T.Tensor((" + blocks +
         ",), \"int32\"),\n         C: T.Tensor((" + blocks + ", " + sizes +
         "), \"int32\")):\n"
         "    with T.Kernel(" +
         blocks + ", threads=" + shape.text +
         ") as b:\n"
         "        tx, ty, tz = T.get_thread_bindings()\n"
         "        X, Y, Z = T.get_thread_extents()\n"
         "        first = tx == 0 and ty == 0 and tz == 0\n"
         "        C[b, tx + X * (ty + Y * tz)] = tx + 100 * ty + 10000 * tz\n"
         "        for turn in T.serial(2):\n"
         "            if first:\n"
         "                A[b] = (b + 1) * (turn + 1)\n"
         "            T.sync_grid()\n"
         "            if first:\n"
         "                B[b] = B[b] + A[0] + A[1] + A[2]\n"
         "            T.sync_grid()\n";
}

static std::string textOf(Compilation &compilation) {
  std::string text;
  llvm::raw_string_ostream os(text);
  compilation.diagnostics().print(os);
  return text;
}

static interp::TensorArg tensor(std::vector<int32_t> &data,
                                std::initializer_list<int64_t> shape) {
  interp::TensorArg arg;
  arg.data = data.data();
  arg.shape.assign(shape.begin(), shape.end());
  return arg;
}

TEST_CASE("grid barrier: blocks of every shape on the virtual device") {
  for (const Shape &shape : shapes) {
    INFO(shape.text);
    int64_t threads = shape.x * shape.y * shape.z;
    Compilation compilation{CompileOptions()};
    compilation.setSource(sourceFor(shape), "meet.tl");
    Status status = compilation.elaborate();
    INFO(textOf(compilation));
    REQUIRE(status == Status::Ok);
    auto kernel = *compilation.module().getOps<tile::KernelOp>().begin();
    for (uint64_t order : {0, 1, 2, 7}) {
      std::vector<int32_t> a(3, 0), b(3, 0), c(3 * threads, -1);
      std::vector<interp::ArgValue> args = {tensor(a, {3}), tensor(b, {3}),
                                            tensor(c, {3, threads})};
      interp::InterpOptions options;
      options.blockOrder = order;
      REQUIRE(mlir::succeeded(interp::interpret(kernel, args, options)));
      CHECK(b == std::vector<int32_t>{18, 18, 18});
      for (int64_t i = 0; i < 3 * threads; ++i) {
        int64_t t = i % threads;
        CHECK(c[i] == t % shape.x + 100 * (t / shape.x % shape.y) +
                          10000 * (t / (shape.x * shape.y)));
      }
    }
  }
}

TEST_CASE("grid barrier: blocks of every shape are verified and compile") {
  for (const Shape &shape : shapes) {
    INFO(shape.text);
    Compilation compilation{CompileOptions()};
    compilation.setSource(sourceFor(shape), "meet.tl");
    Status status = compilation.compile(Level::Cubin);
    INFO(textOf(compilation));
    CHECK((status == Status::Ok || status == Status::Environment));
    REQUIRE(compilation.kernels().size() == 1);
    const CompiledKernel &kernel = compilation.kernels().front();
    REQUIRE(kernel.functions.size() == 1);
    CHECK(kernel.functions.front().cooperative);
    CHECK(kernel.functions.front().threads == shape.x * shape.y * shape.z);
    const cuda::KernelArg &last = kernel.functions.front().args.back();
    CHECK(last.kind == cuda::KernelArg::Kind::Workspace);
    CHECK(last.bytes == 8);
    CHECK(kernel.metadata.find("\"cooperative\": true") != std::string::npos);
  }
}

/// What the finished program computes on the virtual SM.
static interp::SmStatus runOnSm(Compilation &compilation, int64_t threads,
                                interp::SmSchedule schedule,
                                std::vector<int32_t> &b) {
  std::vector<int32_t> a(3, 0), c(3 * threads, -1);
  b.assign(3, 0);
  std::vector<interp::ArgValue> args = {tensor(a, {3}), tensor(b, {3}),
                                        tensor(c, {3, threads})};
  interp::SmOptions options;
  options.schedule = schedule;
  auto kernel = *compilation.module().getOps<tile::KernelOp>().begin();
  return interp::runSm(kernel, args, options).status;
}

/// The condition of the arrival becomes `x == 0`.
static void electByX(mlir::Operation *barrier) {
  auto branch = mlir::cast<mlir::scf::IfOp>(barrier->getParentOp());
  mlir::OpBuilder b(branch);
  auto loc = branch.getLoc();
  mlir::Value x = tile::ThreadIdOp::create(b, loc, tile::Dim::X);
  mlir::Value zero = mlir::arith::ConstantIntOp::create(b, loc, 0, 32);
  branch.getConditionMutable().assign(mlir::arith::CmpIOp::create(
      b, loc, mlir::arith::CmpIPredicate::eq, x, zero));
}

TEST_CASE("grid barrier: a leader by its x alone is found for every shape") {
  for (const Shape &shape : shapes) {
    INFO(shape.text);
    CompileOptions options;
    Compilation compilation{options};
    compilation.setSource(sourceFor(shape), "meet.tl");
    std::string ignored;
    llvm::raw_string_ostream os(ignored);
    REQUIRE(compilation.print(Level::SM, os) == Status::Ok);
    const target::TargetInfo *target = target::lookupTarget(options.arch);
    REQUIRE(target);
    std::vector<sm::GridBarrierOp> barriers;
    compilation.module().walk(
        [&](sm::GridBarrierOp barrier) { barriers.push_back(barrier); });
    REQUIRE(barriers.size() == 2);
    auto launch = barriers.front()->getParentOfType<sm::LaunchOp>();
    CHECK(verify::verifySm(launch, *target).isProved());
    using interp::SmSchedule;
    using interp::SmStatus;
    int64_t threads = shape.x * shape.y * shape.z;
    std::vector<int32_t> sums;
    for (SmSchedule schedule :
         {SmSchedule::Canonical, SmSchedule::AdversarialEarly,
          SmSchedule::AdversarialLate, SmSchedule::Seeded}) {
      CHECK(runOnSm(compilation, threads, schedule, sums) == SmStatus::Clean);
      CHECK(sums == std::vector<int32_t>{18, 18, 18});
    }
    for (sm::GridBarrierOp barrier : barriers)
      electByX(barrier);
    unsigned wrong = shape.leaders() == 1 ? 0 : 2;
    CHECK(verify::verifySm(launch, *target).errors == wrong);
    std::string message =
        std::to_string(shape.leaders()) + " threads of a block of ";
    CHECK((textOf(compilation).find(message) != std::string::npos) ==
          (wrong != 0));
    CHECK((runOnSm(compilation, threads, SmSchedule::Canonical, sums) ==
           SmStatus::Reported) == (wrong != 0));
  }
}

/// Two blocks, each writes its own element, meets the other, and adds both.
static const char *const kIncident =
    "@T.prim_func\n"
    "def pair(A: T.Tensor((2,), \"int32\"), B: T.Tensor((2,), \"int32\")):\n"
    "    with T.Kernel(2, threads=%THREADS%) as b:\n"
    "        tx, ty, tz = T.get_thread_bindings()\n"
    "        first = tx == 0 and ty == 0 and tz == 0\n"
    "        if first:\n"
    "            A[b] = b + 1\n"
    "        T.sync_grid()\n"
    "        if first:\n"
    "            B[b] = A[0] + A[1]\n";

/// What B is on the virtual SM. Block 0 arrives first, or last with the
/// adversarial-late schedule.
static std::vector<int32_t>
sumsOfPair(const Shape &shape, bool byX,
           interp::SmSchedule schedule = interp::SmSchedule::Canonical) {
  std::string source = kIncident;
  source.replace(source.find("%THREADS%"), 9, shape.text);
  Compilation compilation{CompileOptions()};
  compilation.setSource(source, "pair.tl");
  std::string ignored;
  llvm::raw_string_ostream os(ignored);
  REQUIRE(compilation.print(Level::SM, os) == Status::Ok);
  if (byX)
    compilation.module().walk(
        [](sm::GridBarrierOp barrier) { electByX(barrier); });
  std::vector<int32_t> a(2, 0), b(2, 0);
  auto kernel = *compilation.module().getOps<tile::KernelOp>().begin();
  interp::SmOptions options;
  options.schedule = schedule;
  interp::runSm(kernel, {tensor(a, {2}), tensor(b, {2})}, options);
  return b;
}

// Two arrivals of one block stand for both blocks. Of an odd number the last is
// left over and waits for the other block, which hides the mistake.
TEST_CASE("grid barrier: a leader by its x alone computes [1, 3]") {
  for (const Shape &shape : shapes) {
    INFO(shape.text);
    CHECK(sumsOfPair(shape, false) == std::vector<int32_t>{3, 3});
    bool hidden = shape.leaders() % 2 == 1;
    CHECK(sumsOfPair(shape, true) ==
          (hidden ? std::vector<int32_t>{3, 3} : std::vector<int32_t>{1, 3}));
    // The block that comes last sees both.
    CHECK(sumsOfPair(shape, true, interp::SmSchedule::AdversarialLate) ==
          (hidden ? std::vector<int32_t>{3, 3} : std::vector<int32_t>{3, 2}));
  }
}
