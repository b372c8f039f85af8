// Which products, and the table.
#include "kernels/gemm/Bench.h"

#include "kernels/gemm/Cublas.h"
#include "kernels/gemm/Problem.h"
#include "kernels/harness/BitCount.h"
#include "kernels/harness/Peer.h"
#include "kernels/harness/Table.h"
#include "runtime/core/Stream.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>

namespace tlc::kernels {

extern const std::string_view kGemmSource;

namespace {
/// A kernel of ours, cuBLAS or a peer's, on one problem.
struct Row {
  std::string name;
  Form form;
  std::optional<Kernel> kernel = {};
  int peer = -1, peerKernel = 0; ///< neither this nor `kernel`: cuBLAS
  std::string problem = {};      ///< why there are no figures
  std::string result = {};       ///< of the comparison with the reference
  bool failed = false;
  std::vector<std::function<void(rt::cu::Stream)>> sets = {};
  Summary sustained = {};
};

/// Buffers of one launch.
struct Set {
  Array a, b, c;
};

/// One size, layout and type with all its rows.
struct Case {
  GemmProblem problem;
  GemmLayout layout;
  DType dtype;
  std::string size;
  std::vector<Row> rows;

  std::string name() const {
    return size + " " + layout.name +
           (dtype == DType::Float16 ? " fp16" : " bf16");
  }
};
} // namespace

static GemmProblem parseSize(const std::string &text) {
  constexpr std::int64_t kMost = 65536;
  std::vector<std::int64_t> extents = parseExtents(text);
  if (extents.size() == 1)
    extents.resize(3, extents.front());
  const bool good = extents.size() == 3 &&
                    std::ranges::all_of(extents, [](std::int64_t extent) {
                      return extent > 0 && extent <= kMost && extent % 8 == 0;
                    });
  if (!good)
    throw Error(ErrorCode::InvalidArgument,
                "--size '" + text +
                    "': gemm takes M or MxNxK, multiples of 8 up to 65536");
  return {extents[0], extents[1], extents[2]};
}

static std::vector<GemmLayout> chosenLayouts(const BenchOptions &options) {
  const auto all = gemmLayouts();
  std::vector<GemmLayout> list;
  for (const std::string &wanted : options.paths) {
    const auto found = std::ranges::find_if(
        all, [&](const GemmLayout &l) { return wanted == l.name; });
    if (found == all.end())
      throw Error(ErrorCode::InvalidArgument,
                  "--path '" + wanted + "': gemm has nn, nt, tn and tt");
    list.push_back(*found);
  }
  if (list.empty())
    list.assign(all.begin(), all.end());
  return list;
}

static std::vector<Form> formsFor(const Case &item, const BenchOptions &options,
                                  const BenchTools &tools) {
  std::vector<Form> forms = {{.name = "tlc"}};
  if (options.ablation)
    for (const Lever &lever : tools.levers)
      forms.push_back({.name = "no " + lever.name, .options = {lever.option}});
  for (Form &form : forms) {
    for (const std::string &define :
         gemmVariant(item.layout, item.dtype).defines) {
      const std::size_t equals = define.find('=');
      form.defines[define.substr(0, equals)] = define.substr(equals + 1);
    }
    for (const auto &[name, value] : options.defines)
      form.defines[name] = value;
  }
  return forms;
}

static Array onDevice(const rt::HostTensor &host) {
  Array array(host.dtype(), host.shape(), Device::gpu());
  array.upload(host.bytes());
  return array;
}

namespace {
/// Runs the rows of one case.
class CaseRun {
public:
  CaseRun(Case &item, const BenchOptions &options, const Cublas *cublas,
          const std::vector<std::shared_ptr<PeerLibrary>> &peers)
      : item(item), options(options), cublas(cublas), peers(peers),
        operands(gemmOperands(item.problem, item.dtype, 7)) {}

  void run();

private:
  void prepare(Row &row);
  void prepareOn(Row &row, const Set &set);
  void check(Row &row);
  void checkAgain();

  Case &item;
  const BenchOptions &options;
  const Cublas *cublas;
  const std::vector<std::shared_ptr<PeerLibrary>> &peers;
  std::vector<Operand> operands;
  std::vector<Set> sets;
  std::deque<Array> right; ///< first results, by row
  rt::Stream stream;
};
} // namespace

void CaseRun::prepareOn(Row &row, const Set &set) {
  if (row.kernel) {
    auto plan =
        std::make_shared<Plan>(row.kernel->prepare(set.a, set.b, set.c));
    row.sets.emplace_back([plan](rt::cu::Stream on) { plan->launch(on); });
    return;
  }
  if (row.peer < 0) {
    row.sets.emplace_back([this, &set](rt::cu::Stream on) {
      cublas->gemm(item.problem, set.a.tensor(), set.b.tensor(), set.c.tensor(),
                   on);
    });
    return;
  }
  const GemmProblem &p = item.problem;
  std::shared_ptr<PeerPlan> plan = peers[row.peer]->prepare(
      {"gemm",
       {{"A", set.a.tensor()}, {"B", set.b.tensor()}, {"C", set.c.tensor()}},
       {{"M", p.m},
        {"N", p.n},
        {"K", p.k},
        {"trans_A", p.transA},
        {"trans_B", p.transB}}},
      row.peerKernel);
  if (!plan)
    row.problem = "not for this problem";
  else
    row.sets.emplace_back([plan](rt::cu::Stream on) { plan->launch(on); });
}

void CaseRun::prepare(Row &row) {
  try {
    for (const Set &set : sets)
      prepareOn(row, set);
  } catch (const Error &error) {
    row.problem = error.what();
    row.failed = true;
  }
}

/// One launch into poisoned memory, compared with the reference.
void CaseRun::check(Row &row) {
  Array &c = sets.front().c;
  c.fill(0xff);
  row.sets.front()(stream.handle());
  stream.synchronize();
  rt::HostTensor result(item.dtype, item.problem.shapeC());
  c.download(result.bytes());
  const Difference difference =
      gemmSample(item.problem, operands[0].tensor, operands[1].tensor, result);
  row.result = difference.passed ? "right" : "WRONG: " + difference.text();
  row.failed = !difference.passed;
  right.push_back(onDevice(result));
}

/// The same bits in every set after the timing.
void CaseRun::checkAgain() {
  std::size_t next = 0;
  for (Row &row : item.rows) {
    if (!row.problem.empty())
      continue;
    BitCount count(static_cast<int>(sets.size()));
    for (std::size_t i = 0; i < sets.size(); ++i) {
      sets[i].c.fill(0xff);
      row.sets[i](stream.handle());
      count.compare(stream.handle(), static_cast<int>(i), sets[i].c.tensor(),
                    right[next].tensor());
    }
    ++next;
    if (std::ranges::any_of(count.read(),
                            [](auto words) { return words != 0; })) {
      row.result += ", other bits after timing";
      // Another library may choose another order of adding.
      row.failed |= row.kernel.has_value();
    }
  }
}

void CaseRun::run() {
  const double bytes = static_cast<double>(operands[0].tensor.bytes().size() +
                                           operands[1].tensor.bytes().size() +
                                           operands[2].tensor.bytes().size());
  for (int i = 0; i < rotatingSets(bytes); ++i)
    sets.push_back({onDevice(operands[0].tensor), onDevice(operands[1].tensor),
                    onDevice(operands[2].tensor)});
  std::vector<Contestant> contestants;
  std::vector<Row *> timed;
  for (Row &row : item.rows) {
    if (row.problem.empty())
      prepare(row);
    if (!row.problem.empty())
      continue;
    check(row);
    timed.push_back(&row);
    contestants.push_back({row.name, [&row](rt::cu::Stream on, int set) {
                             row.sets[static_cast<std::size_t>(set)](on);
                           }});
  }
  ContestOptions contest;
  contest.rounds = options.rounds;
  contest.samples = options.samples;
  contest.launches = options.launches;
  contest.sets = static_cast<int>(sets.size());
  const std::vector<Summary> found = holdContest(contestants, contest);
  for (std::size_t i = 0; i < found.size(); ++i)
    timed[i]->sustained = found[i];
  checkAgain();
  for (Row &row : item.rows)
    row.sets.clear();
}

static std::vector<Case> makeCases(const BenchOptions &options) {
  std::vector<std::string> sizes = options.sizes;
  if (sizes.empty())
    sizes = {"4096", "8192"};
  std::vector<Case> cases;
  for (const std::string &size : sizes)
    for (const DType dtype : {DType::BFloat16, DType::Float16})
      for (const GemmLayout &layout : chosenLayouts(options)) {
        GemmProblem problem = parseSize(size);
        problem.transA = layout.transA;
        problem.transB = layout.transB;
        Case item{problem, layout, dtype, size, {}};
        if (options.selects(item.name()))
          cases.push_back(std::move(item));
      }
  return cases;
}

static void addRows(std::vector<Case> &cases, const BenchOptions &options,
                    const BenchTools &tools, bool withCublas,
                    const std::vector<std::shared_ptr<PeerLibrary>> &peers) {
  std::vector<Form> forms;
  for (const Case &item : cases)
    for (Form &form : formsFor(item, options, tools))
      forms.push_back(std::move(form));
  const std::vector<Compiled> compiled = compileAll(
      tools, options.source.empty() ? std::string(kGemmSource) : options.source,
      "gemm.tl", forms);
  const std::size_t each = cases.empty() ? 1 : forms.size() / cases.size();
  for (std::size_t i = 0; i < forms.size(); ++i) {
    Row row{.name = forms[i].name, .form = forms[i]};
    row.kernel = compiled[i].kernel;
    row.problem = compiled[i].problem;
    row.failed = !row.problem.empty();
    cases[i / each].rows.push_back(std::move(row));
  }
  for (Case &item : cases) {
    if (withCublas)
      item.rows.push_back({.name = "cuBLAS", .form = {}});
    for (std::size_t p = 0; p < peers.size(); ++p) {
      const std::vector<std::string> names = peers[p]->kernels("gemm");
      for (std::size_t k = 0; k < names.size(); ++k)
        item.rows.push_back({.name = names[k],
                             .form = {},
                             .peer = static_cast<int>(p),
                             .peerKernel = static_cast<int>(k)});
    }
  }
}

static Json jsonOf(const Case &item) {
  Json json{{"case", item.name()},
            {"m", item.problem.m},
            {"n", item.problem.n},
            {"k", item.problem.k},
            {"kernels", Json::array()}};
  for (const Row &row : item.rows) {
    Json entry{{"kernel", row.name},
               {"options", row.form.options},
               {"defines", row.form.defines},
               {"failed", row.failed}};
    if (row.problem.empty()) {
      entry["time"] = jsonOf(row.sustained);
      entry["tflops"] = teraflops(item.problem, row.sustained.median);
      entry["result"] = row.result;
    } else {
      entry["problem"] = row.problem;
    }
    if (row.kernel)
      entry["resources"] = resourcesOf(*row.kernel);
    json["kernels"].push_back(std::move(entry));
  }
  return json;
}

/// A line for each kernel; ratios are of speeds, to the first of our own.
static void addLines(Table &table, const Case &item) {
  const Row &first = item.rows.front();
  for (const Row &row : item.rows) {
    const std::string name = item.name() + " " + row.name;
    if (!row.problem.empty()) {
      if (row.failed)
        table.row({name, "-", "-", "-", "-",
                   row.problem.substr(0, row.problem.find('\n'))});
      continue;
    }
    const bool compared = first.problem.empty() && &row != &first;
    table.row(
        {name, fixed(row.sustained.median, 1),
         fixed(row.sustained.spreadPercent, 1),
         fixed(teraflops(item.problem, row.sustained.median), 1),
         compared
             ? fixed(row.sustained.median / first.sustained.median, 3) + "x"
             : "",
         row.result});
  }
}

BenchResult benchGemm(const BenchOptions &options, const BenchTools &tools) {
  std::vector<Case> cases = makeCases(options);
  std::vector<std::shared_ptr<PeerLibrary>> peers;
  peers.reserve(options.peers.size());
  for (const std::string &path : options.peers)
    peers.push_back(PeerLibrary::open(path));
  rt::Device::get().makeCurrent();
  std::string why;
  const std::unique_ptr<Cublas> cublas = Cublas::open(why);
  tools.progress("gemm: compiling");
  addRows(cases, options, tools, cublas != nullptr, peers);

  BenchResult result;
  result.json = {{"benchmark", "gemm"},
                 {"cublas", cublas ? Json(true) : Json(why)},
                 {"cases", Json::array()}};
  Table table({"gemm", "us", "+-%", "TFLOP/s", "tlc is", "result"},
              /*notesLast=*/true);
  for (Case &item : cases) {
    tools.progress("gemm " + item.name() + ": checking and timing");
    // A kernel that breaks the device ends everything but what was found.
    try {
      CaseRun(item, options, cublas.get(), peers).run();
    } catch (const Error &error) {
      result.stopped = error.what();
      break;
    }
    addLines(table, item);
    for (const Row &row : item.rows)
      result.failures += row.failed ? 1 : 0;
    result.json["cases"].push_back(jsonOf(item));
  }
  result.summary = table.text();
  if (!cublas)
    result.summary += "peer cuBLAS: not installed, " + why + "\n";
  return result;
}

} // namespace tlc::kernels
