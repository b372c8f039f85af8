// The kernels of test/cases on inputs made from their formulas. Expected sums
// and check sums (each element times its position mod 97, plus 1) are those of
// the .md files. All values are whole numbers that the types hold exactly.
#include "compiler/driver/Compiler.h"
#include "compiler/interp/TileInterp.h"
#include "compiler/interp/TileInterpElement.h"
#include "test/support/Catch.h"

#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <map>

using namespace tlc;
using interp::Elem;

namespace {
/// A tensor whose elements are given as numbers.
struct Data {
  std::vector<int64_t> shape;
  Elem elem = Elem::F32;
  std::vector<uint8_t> bytes;

  int64_t size() const {
    int64_t n = 1;
    for (int64_t extent : shape)
      n *= extent;
    return n;
  }
  void set(int64_t i, int64_t value) {
    interp::Cell cell;
    cell.i = value;
    interp::encode(elem, bytes.data() + i * interp::sizeOf(elem),
                   interp::convert(cell, Elem::I64, elem));
  }
  double get(int64_t i) const {
    interp::Cell cell =
        interp::decode(elem, bytes.data() + i * interp::sizeOf(elem));
    return interp::convert(cell, elem, Elem::F64).d;
  }
};

using Formula = std::function<int64_t(const std::vector<int64_t> &index)>;

/// One run of a case: inputs by name, outputs by name with both sums.
struct Run {
  std::string file;
  std::map<std::string, Formula> inputs;
  std::map<std::string, int64_t> sizes;
  std::map<std::string, std::pair<double, double>> expected;
  std::map<std::string, std::string> defines = {};
  std::string kernel = {};
  uint64_t blockOrder = 0; ///< see InterpOptions
  /// Looks at the tensors after the run, in the order of the parameters.
  std::function<void(const std::vector<Data> &)> inspect = {};
};
} // namespace

static void fillBy(Data &data, const Formula &formula) {
  std::vector<int64_t> index(data.shape.size(), 0);
  for (int64_t i = 0; i < data.size(); ++i) {
    data.set(i, formula(index));
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < data.shape[d])
        break;
      index[d] = 0;
    }
  }
}

/// The tensors of a kernel; those without a formula start at 55.
static std::vector<Data> makeData(tile::KernelOp kernel, const Run &run) {
  std::vector<Data> list;
  for (unsigned i = 0; i < kernel.getNumParams(); ++i) {
    auto type = mlir::cast<mlir::MemRefType>(kernel.getParam(i).getType());
    Data data;
    data.elem = *interp::elemOf(type.getElementType());
    for (auto [d, dimension] :
         llvm::enumerate(kernel.getParamShape(i).getResults())) {
      mlir::AffineExpr expr = dimension;
      // The cases have constants, a size, or a size plus one.
      int64_t extent = type.getDimSize(d), more = 0;
      if (auto sum = mlir::dyn_cast<mlir::AffineBinaryOpExpr>(expr)) {
        more = mlir::cast<mlir::AffineConstantExpr>(sum.getRHS()).getValue();
        expr = sum.getLHS();
      }
      if (auto symbol = mlir::dyn_cast<mlir::AffineSymbolExpr>(expr)) {
        unsigned at = kernel.getNumParams() + symbol.getPosition();
        extent = run.sizes.at(kernel.getArgName(at).str()) + more;
      }
      data.shape.push_back(extent);
    }
    data.bytes.resize(data.size() * interp::sizeOf(data.elem));
    auto formula = run.inputs.find(kernel.getArgName(i).str());
    fillBy(data, formula == run.inputs.end()
                     ? [](const std::vector<int64_t> &) { return 55; }
                     : formula->second);
    list.push_back(std::move(data));
  }
  return list;
}

static void check(const Run &run) {
  INFO(run.file << " " << run.kernel);
  CompileOptions options;
  options.kernel = run.kernel;
  options.defines = run.defines;
  Compilation compilation(options);
  compilation.readFile(std::string(TLC_CASES) + "/" + run.file + ".tl");
  Status status = compilation.elaborate();
  std::string messages;
  llvm::raw_string_ostream os(messages);
  compilation.diagnostics().print(os);
  INFO(messages);
  REQUIRE(status == Status::Ok);
  auto kernel = *compilation.module().getOps<tile::KernelOp>().begin();
  std::vector<Data> data = makeData(kernel, run);
  std::vector<interp::ArgValue> args;
  for (Data &d : data) {
    interp::TensorArg arg;
    arg.data = d.bytes.data();
    arg.shape.assign(d.shape.begin(), d.shape.end());
    args.emplace_back(std::move(arg));
  }
  interp::InterpOptions how;
  how.blockOrder = run.blockOrder;
  REQUIRE(mlir::succeeded(interp::interpret(kernel, args, how)));
  if (run.inspect)
    run.inspect(data);
  for (unsigned i = 0; i < data.size(); ++i) {
    auto expected = run.expected.find(kernel.getArgName(i).str());
    if (expected == run.expected.end())
      continue;
    double sum = 0, checkSum = 0;
    for (int64_t e = 0; e < data[i].size(); ++e) {
      sum += data[i].get(e);
      checkSum += data[i].get(e) * static_cast<double>(e % 97 + 1);
    }
    INFO(expected->first);
    CHECK(sum == expected->second.first);
    CHECK(checkSum == expected->second.second);
  }
  // The lowered program is verified on the way.
  status = compilation.compile(Level::Cuda);
  compilation.diagnostics().print(os);
  INFO(messages);
  CHECK(status == Status::Ok);
}

using Index = const std::vector<int64_t> &;

/// Runs with every number of stages: it never changes a result.
static void checkStages(Run run, int last) {
  for (int stages = 0; stages <= last; ++stages) {
    run.defines["STAGES"] = std::to_string(stages);
    check(run);
  }
}

TEST_CASE("cases: a tile from before the loop, used after it") {
  Run run;
  run.file = "bias_before_loop";
  run.inputs["A"] = [](Index i) {
    return (3 * i[0] + 5 * i[1] + i[0] * i[1]) % 251 % 7 - 3;
  };
  run.inputs["B"] = [](Index i) {
    return (2 * i[0] + 7 * i[1] + i[0] * i[1]) % 251 % 5 - 2;
  };
  run.inputs["Bias"] = [](Index i) { return 11 * i[0] % 41 - 20; };
  run.expected["Y"] = {78243, 3791345};
  checkStages(run, 5);
}

TEST_CASE("cases: rows that no tensor map can describe") {
  Run run;
  run.file = "gemm_stride_100_bytes";
  run.inputs["A"] = [](Index i) {
    return (5 * i[0] + 3 * i[1] + i[0] * i[1]) % 251 % 11 - 5;
  };
  run.inputs["B"] = [](Index i) {
    return (7 * i[0] + 2 * i[1] + i[0] * i[1]) % 251 % 7 - 3;
  };
  run.expected["Y"] = {1146, -65384};
  checkStages(run, 4);
}

TEST_CASE("cases: two loops on the same tiles, int8") {
  Run run;
  run.file = "sibling_loops_int8";
  run.inputs["A"] = [](Index i) -> int64_t {
    if ((i[0] == 5 && i[1] == 7) || (i[0] == 63 && i[1] == 255))
      return -128;
    return (37 * i[0] + 11 * i[1] + 3 * i[0] * i[1]) % 251 - 125;
  };
  run.inputs["B"] = [](Index i) -> int64_t {
    if (i[0] == 40 && i[1] == 200)
      return -128;
    if (i[0] == 0 && i[1] == 0)
      return 127;
    return (29 * i[0] + 17 * i[1] + 5 * i[0] * i[1]) % 251 % 241 - 120;
  };
  run.expected["Y"] = {2087219, -19519672};
  check(run);
}

TEST_CASE("cases: three users of one tile") {
  Run run;
  run.file = "three_users_one_tile";
  run.inputs["X"] = [](Index i) {
    return (3 * i[0] + 7 * i[1] + i[0] * i[1]) % 251 % 11 - 5;
  };
  run.inputs["U"] = [](Index i) {
    return (5 * i[0] + 2 * i[1] + i[0] * i[1]) % 251 % 7 - 3;
  };
  run.inputs["V"] = [](Index i) {
    return (2 * i[0] + 5 * i[1] + i[0] * i[1]) % 251 % 13 - 6;
  };
  run.expected = {
      {"P", {3678, 254758}}, {"Q", {28205, 808895}}, {"Rows", {-1634, -63077}}};
  check(run);
}

TEST_CASE("cases: trip counts of zero, one, fewer than the stages") {
  struct Trips {
    int64_t counts[4];
    std::pair<double, double> out;
  };
  for (const Trips &trips :
       {Trips{{0, 1, 2, 6}, {18441, 902847}},
        Trips{{4, 5, 3, 0}, {24569, 1200540}}, Trips{{0, 0, 0, 0}, {0, 0}},
        Trips{{-1, 0, -7, 0}, {0, 0}}}) {
    Run run;
    run.file = "trip_zero_one";
    run.inputs["Trips"] = [&](Index i) { return trips.counts[i[0]]; };
    run.inputs["A"] = [&](Index i) -> int64_t {
      return i[1] < 32 * trips.counts[i[0]]
                 ? (3 * i[0] + i[1] + 2 * i[2]) % 7 - 2
                 : 1024;
    };
    run.expected["Out"] = trips.out;
    checkStages(run, 5);
  }
}

TEST_CASE("cases: the tile is used, then loaded again") {
  Run run;
  run.file = "war_use_then_load";
  run.inputs["A"] = [](Index i) { return (3 * i[0] + 5 * i[1]) % 10; };
  run.inputs["Seed"] = [](Index i) { return 7 * i[0] % 9 + 1; };
  run.expected["Out"] = {70688, 2292448};
  checkStages(run, 5);
}

TEST_CASE("cases: a state that is carried along sequences") {
  struct Take {
    std::function<int64_t(int64_t)> take;
    std::pair<double, double> state;
  };
  const int64_t first[] = {0, 9, 10, 10, 16};
  for (const Take &take :
       {Take{[](int64_t c) { return int64_t(c % 3 != 0); }, {194560, 9548505}},
        Take{[](int64_t) { return int64_t(0); }, {114688, 5627738}},
        Take{[](int64_t) { return int64_t(1); }, {348160, 17092666}}}) {
    Run run;
    run.file = "ws_state_chain";
    run.sizes = {{"chunks", 16}, {"seqs", 4}};
    run.inputs["Step"] = [](Index i) {
      return i[0] % 9 + (i[1] + 2 * i[2]) % 3;
    };
    run.inputs["Prop"] = [](Index i) {
      return int64_t(i[2] == (i[1] + 1 + i[0]) % 64);
    };
    run.inputs["Take"] = [&](Index i) { return take.take(i[0]); };
    run.inputs["First"] = [&](Index i) { return first[i[0]]; };
    run.expected["State"] = take.state;
    checkStages(run, 4);
  }
}

TEST_CASE("cases: values of each thread") {
  Run light;
  light.file = "two_kernel_report";
  light.kernel = "light";
  light.inputs["A"] = [](Index i) { return 7 * i[0] % 1000 - 500; };
  light.expected["B"] = {-32064, -1678315};
  check(light);
  Run heavy;
  heavy.file = "two_kernel_report";
  heavy.kernel = "heavy";
  heavy.inputs["A"] = [](Index i) { return (5 * i[0] + 11 * i[1]) % 1021; };
  heavy.expected["B"] = {50133403, 2452481039};
  check(heavy);
}

TEST_CASE("cases: reductions of odd widths") {
  Run run;
  run.file = "reduce_odd_widths";
  run.inputs["A"] = [](Index i) { return i[1] + 1 + 100 * i[0]; };
  run.inputs["B"] = [](Index i) { return 3 * i[0] + i[1]; };
  run.inputs["C"] = [](Index i) { return -((50 * i[0] + 7 * i[1]) % 211 + 3); };
  run.expected = {{"RowSum", {33504, 107760}},
                  {"ColMax", {282, 566}},
                  {"NegMax", {-6, -9}},
                  {"Running", {-40719, -61542}}};
  check(run);
}

TEST_CASE("cases: two blocks meet at a grid barrier") {
  struct Spin {
    int64_t counts[2];
    std::pair<double, double> waste;
  };
  for (const Spin &spin : {Spin{{0, 200000}, {735, 1469}},
                           Spin{{200000, 0}, {735, 736}}, Spin{{0, 0}, {2, 3}}})
    for (uint64_t order : {0, 1}) {
      Run run;
      run.file = "grid_barrier_2d";
      run.blockOrder = order;
      run.inputs["Spin"] = [&](Index i) { return spin.counts[i[0]]; };
      run.inputs["X"] = run.inputs["Y"] = [](Index) { return 0; };
      run.expected = {{"X", {3, 5}}, {"Y", {6, 9}}, {"Waste", spin.waste}};
      check(run);
    }
}

TEST_CASE("cases: the value of an atomic is taken once and used three times") {
  struct Keep {
    int64_t every, count; ///< every n-th item is kept; 0: none
  };
  for (const Keep &keep : {Keep{3, 334}, Keep{1, 1000}, Keep{0, 0}})
    for (uint64_t order : {0, 1, 5}) {
      Run run;
      run.file = "atomic_slots";
      run.blockOrder = order;
      auto kept = [&](int64_t i) {
        return keep.every != 0 && i % keep.every == 0;
      };
      run.inputs["Keep"] = [&](Index i) { return int64_t(kept(i[0])); };
      run.inputs["Count"] = [](Index) { return 0; };
      run.inputs["Slot"] = run.inputs["Owner"] = [](Index) { return -1; };
      auto count = static_cast<double>(keep.count);
      run.expected["Count"] = {count, count};
      run.inspect = [&](const std::vector<Data> &data) {
        const Data &slot = data[2], &owner = data[3];
        std::vector<int> taken(keep.count, 0);
        for (int64_t i = 0; i < 1000; ++i) {
          auto at = static_cast<int64_t>(owner.get(i));
          if (!kept(i)) {
            CHECK(at == -1);
            continue;
          }
          REQUIRE(at >= 0);
          REQUIRE(at < keep.count);
          ++taken[at];
        }
        for (int times : taken)
          CHECK(times == 1);
        for (int64_t p = 0; p < 500; ++p) {
          auto item = static_cast<int64_t>(slot.get(p));
          if (p >= keep.count)
            CHECK(item == -1);
          else
            CHECK(owner.get(item) == static_cast<double>(p));
        }
      };
      check(run);
    }
}
