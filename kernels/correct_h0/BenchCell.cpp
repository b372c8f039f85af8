// Buffers, launches and the order of the steps: right once, right many times
// back to back, timed in turns, right again.
#include "kernels/correct_h0/BenchCell.h"

#include "kernels/harness/BitCount.h"
#include "runtime/core/Stream.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>

namespace tlc::kernels {

namespace {
/// Outputs of launches in flight at once: a race needs warm, busy neighbours.
constexpr int kBatch = 8;
constexpr std::uint64_t kSeed = 3;

using Launch = std::function<void(rt::cu::Stream)>;

/// The tensors of one launch.
struct Views {
  Tensor ht, mt, mask, seqMap, out;
};
} // namespace

CellProblem makeCell(const std::string &size, const StateProblem &problem,
                     Mask mask) {
  CellProblem cell;
  cell.size = size;
  cell.problem = problem;
  cell.mask = mask;
  cell.inputs = makeInputs(problem, mask, kSeed);
  cell.reference = stateReference(problem, cell.inputs);
  cell.maskOff = makeMask(problem, Mask::Off);
  StateInputs off = cell.inputs;
  off.fallbackMask = cell.maskOff;
  cell.referenceOff = stateReference(problem, off);
  return cell;
}

static Array onDevice(const rt::HostTensor &host) {
  Array array(host.dtype(), host.shape(), Device::gpu());
  array.upload(host.bytes());
  return array;
}

static rt::HostTensor onHost(const Array &array) {
  rt::HostTensor host(array.tensor().dtype, array.tensor().shape);
  array.download(host.bytes());
  return host;
}

namespace {
/// Everything on the device, and the launches on it.
class CellRun {
public:
  CellRun(const CellProblem &cell, const BenchOptions &options,
          const std::vector<std::shared_ptr<PeerLibrary>> &peers,
          std::vector<CellRow> &rows);

  void run();

private:
  /// What a row launches: on each rotating set, and into each output of a batch
  /// with the timed flags and with none.
  struct Launches {
    std::vector<Launch> sets, batch, batchOff;
  };
  /// Bits that a row must give.
  struct Expected {
    const Array *timed = nullptr, *off = nullptr;
  };

  Views views(int set, const Array &mask, const Array &out) const;
  Launch prepare(CellRow &row, const Views &tensors);
  void prepareRow(std::size_t index);
  const Array *firstLaunch(CellRow &row, const Launch &launch,
                           const std::vector<double> &reference,
                           const Array *judge);
  void checkFirst(bool racy);
  void soak(std::size_t index, const std::vector<Launch> &batch,
            const Array &expected);
  void soakRow(std::size_t index);
  void timeAll();
  void checkAfter();
  bool usable(const CellRow &row) const { return row.problem.empty(); }

  const CellProblem &cell;
  const BenchOptions &options;
  const std::vector<std::shared_ptr<PeerLibrary>> &peers;
  std::vector<CellRow> &rows;
  int setCount;
  std::vector<Array> ht, mt, out; ///< rotating sets
  std::vector<Array> batch;       ///< outputs of a batch
  std::optional<Array> mask, maskOff, seqMap;
  std::deque<Array> kept;         ///< right outputs
  std::vector<Launches> launches; ///< by row
  std::vector<Expected> expected; ///< by row
  rt::Stream stream;
};
} // namespace

CellRun::CellRun(const CellProblem &cell, const BenchOptions &options,
                 const std::vector<std::shared_ptr<PeerLibrary>> &peers,
                 std::vector<CellRow> &rows)
    : cell(cell), options(options), peers(peers), rows(rows),
      setCount(rotatingSets(cell.traffic())), launches(rows.size()),
      expected(rows.size()) {
  const Dims &shape = cell.inputs.ht.shape();
  for (int i = 0; i < setCount; ++i) {
    ht.push_back(onDevice(cell.inputs.ht));
    mt.push_back(onDevice(cell.inputs.mt));
    out.emplace_back(DType::Float32, shape, Device::gpu());
  }
  for (int i = 0; i < kBatch; ++i)
    batch.emplace_back(DType::Float32, shape, Device::gpu());
  mask = onDevice(cell.inputs.fallbackMask);
  maskOff = onDevice(cell.maskOff);
  seqMap = onDevice(cell.inputs.seqMap);
}

Views CellRun::views(int set, const Array &flags, const Array &output) const {
  return {ht[set].tensor(), mt[set].tensor(), flags.tensor(), seqMap->tensor(),
          output.tensor()};
}

/// Empty when the peer has nothing for this problem.
Launch CellRun::prepare(CellRow &row, const Views &tensors) {
  if (row.kernel) {
    auto plan = std::make_shared<Plan>(row.kernel->prepare(
        tensors.ht, tensors.mt, tensors.mask, tensors.seqMap, tensors.out));
    return [plan](rt::cu::Stream stream) { plan->launch(stream); };
  }
  const StateProblem &problem = cell.problem;
  const PeerProblem posed{"correct_h0",
                          {{"ht", tensors.ht},
                           {"mt", tensors.mt},
                           {"fallback_mask", tensors.mask},
                           {"seq_map", tensors.seqMap},
                           {"cp_h0", tensors.out}},
                          {{"heads", problem.heads},
                           {"segments", problem.segments()},
                           {"sequences", problem.sequences()},
                           {"state_v_first", problem.stateVFirst},
                           {"reverse", problem.reverse}}};
  std::shared_ptr<PeerPlan> plan =
      peers[row.peer]->prepare(posed, row.peerKernel);
  if (!plan)
    return nullptr;
  return [plan](rt::cu::Stream stream) { plan->launch(stream); };
}

void CellRun::prepareRow(std::size_t index) {
  CellRow &row = rows[index];
  try {
    Launches &list = launches[index];
    for (int i = 0; i < setCount; ++i)
      list.sets.push_back(prepare(row, views(i, *mask, out[i])));
    for (const Array &output : batch) {
      list.batch.push_back(prepare(row, views(0, *mask, output)));
      list.batchOff.push_back(prepare(row, views(0, *maskOff, output)));
    }
    if (!list.sets.front())
      row.problem = "not for this problem";
  } catch (const Error &error) {
    row.problem = error.what();
    row.failed = true;
  }
}

/// One launch into poisoned memory. Gives `judge` when the bits are its bits, a
/// new array when they are others and right, and null when they are wrong.
const Array *CellRun::firstLaunch(CellRow &row, const Launch &launch,
                                  const std::vector<double> &reference,
                                  const Array *judge) {
  Array &output = batch.front();
  output.fill(0xff);
  launch(stream.handle());
  stream.synchronize();
  if (judge != nullptr) {
    BitCount count(1);
    count.compare(stream.handle(), 0, output.tensor(), judge->tensor());
    if (count.read().front() == 0)
      return judge;
  }
  const rt::HostTensor result = onHost(output);
  const Difference difference =
      compare(result, reference, toleranceOf(cell.problem));
  if (!difference.passed) {
    if (!row.racy())
      row.wrong = difference.text();
    return nullptr;
  }
  row.otherBits = judge != nullptr;
  return &kept.emplace_back(onDevice(result));
}

void CellRun::checkFirst(bool racy) {
  const Array *judge = nullptr, *judgeOff = nullptr;
  for (const Expected &known : expected)
    if (known.timed != nullptr && judge == nullptr) {
      judge = known.timed;
      judgeOff = known.off;
    }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CellRow &row = rows[i];
    if (!usable(row) || row.yardstick || row.racy() != racy)
      continue;
    // A racy kernel's own output cannot be what it is measured by.
    const bool own = !racy;
    try {
      expected[i].timed = own ? firstLaunch(row, launches[i].batch.front(),
                                            cell.reference, judge)
                              : judge;
      expected[i].off = own ? firstLaunch(row, launches[i].batchOff.front(),
                                          cell.referenceOff, judgeOff)
                            : judgeOff;
    } catch (const Error &error) {
      row.problem = error.what();
    }
    row.failed |= !row.problem.empty() || !row.wrong.empty();
    if (judge == nullptr && !row.failed && row.peer < 0) {
      judge = expected[i].timed;
      judgeOff = expected[i].off;
    }
  }
}

/// Launches back to back, batch after batch, on warm inputs.
void CellRun::soak(std::size_t index, const std::vector<Launch> &list,
                   const Array &bits) {
  const rt::Driver &driver = rt::Driver::get();
  BitCount count(options.soak);
  for (int done = 0; done < options.soak; done += kBatch) {
    const int now = std::min(kBatch, options.soak - done);
    for (int i = 0; i < now; ++i)
      driver.check(
          driver.memsetD8Async(
              reinterpret_cast<rt::cu::DevicePtr>(batch[i].tensor().data), 0xff,
              batch[i].tensor().sizeInBytes(), stream.handle()),
          "poisoning outputs");
    for (int i = 0; i < now; ++i)
      list[i](stream.handle());
    for (int i = 0; i < now; ++i)
      count.compare(stream.handle(), done + i, batch[i].tensor(),
                    bits.tensor());
  }
  CellRow &row = rows[index];
  const std::vector<std::uint32_t> found = count.read();
  row.launches += options.soak;
  for (const std::uint32_t words : found) {
    row.badLaunches += words != 0 ? 1 : 0;
    row.wrongWords += words;
  }
}

void CellRun::soakRow(std::size_t index) {
  const Expected &bits = expected[index];
  try {
    if (bits.timed != nullptr)
      soak(index, launches[index].batch, *bits.timed);
    if (bits.off != nullptr && cell.mask != Mask::Off)
      soak(index, launches[index].batchOff, *bits.off);
  } catch (const Error &error) {
    rows[index].problem = error.what();
    rows[index].failed = true;
  }
}

void CellRun::timeAll() {
  std::vector<Contestant> contestants;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!usable(rows[i]))
      continue;
    indices.push_back(i);
    contestants.push_back({rows[i].name, [this, i](rt::cu::Stream on, int set) {
                             launches[i].sets[set](on);
                           }});
  }
  ContestOptions contest;
  contest.rounds = options.rounds;
  contest.samples = options.samples;
  contest.launches = options.launches;
  const auto hold = [&](rt::TimingMethod method, int sets,
                        Summary CellRow::*result) {
    contest.method = method;
    contest.sets = sets;
    const std::vector<Summary> found = holdContest(contestants, contest);
    for (std::size_t i = 0; i < found.size(); ++i)
      rows[indices[i]].*result = found[i];
  };
  hold(rt::TimingMethod::Graph, setCount, &CellRow::cold);
  hold(rt::TimingMethod::Graph, 1, &CellRow::warm);
  hold(rt::TimingMethod::Events, setCount, &CellRow::events);
}

void CellRun::checkAfter() {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!usable(rows[i]) || expected[i].timed == nullptr)
      continue;
    BitCount count(setCount);
    for (int set = 0; set < setCount; ++set)
      out[set].fill(0xff);
    for (int set = 0; set < setCount; ++set)
      launches[i].sets[set](stream.handle());
    for (int set = 0; set < setCount; ++set)
      count.compare(stream.handle(), set, out[set].tensor(),
                    expected[i].timed->tensor());
    for (const std::uint32_t words : count.read())
      rows[i].changedAfter |= words != 0;
  }
}

void CellRun::run() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (usable(rows[i]))
      prepareRow(i);
  checkFirst(/*racy=*/false);
  checkFirst(/*racy=*/true);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (usable(rows[i]) && options.soak > 0)
      soakRow(i);
  try {
    timeAll();
    checkAfter();
  } catch (const Error &error) {
    // The device no longer works: no figure of this cell counts.
    for (CellRow &row : rows)
      if (usable(row))
        row.problem = error.what();
  }
  for (CellRow &row : rows)
    row.failed |= (!row.racy() && (row.badLaunches > 0 || row.changedAfter)) ||
                  (!row.problem.empty() && row.kernel);
}

void runCell(const CellProblem &cell, const BenchOptions &options,
             const std::vector<std::shared_ptr<PeerLibrary>> &peers,
             std::vector<CellRow> &rows) {
  CellRun(cell, options, peers, rows).run();
}

} // namespace tlc::kernels
