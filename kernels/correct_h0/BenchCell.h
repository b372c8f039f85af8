// One size and path of the correct_h0 benchmark: all kernels on the same data.
#pragma once

#include "kernels/correct_h0/Problem.h"
#include "kernels/harness/Bench.h"
#include "kernels/harness/Peer.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tlc::kernels {

/// What a cell is about, with all that the CPU prepares for it.
struct CellProblem {
  std::string size; ///< "32K/32"
  StateProblem problem;
  Mask mask = Mask::On;          ///< of the timed launches
  StateInputs inputs;            ///< with that mask
  std::vector<double> reference; ///< of `inputs`
  rt::HostTensor maskOff;        ///< no flag set
  std::vector<double> referenceOff;

  double traffic() const { return trafficOf(problem, inputs.fallbackMask); }
};

/// Makes inputs and references; takes seconds of all cores for the large sizes.
CellProblem makeCell(const std::string &size, const StateProblem &problem,
                     Mask mask);

/// A kernel of the cell and what was found about it.
struct CellRow {
  std::string name;
  Form form;                    ///< of ours
  std::optional<Kernel> kernel; ///< ours
  int peer = -1, peerKernel = 0;
  std::string problem;    ///< why there are no figures; empty: there are
  std::string wrong;      ///< how the first result differs from the reference
  bool yardstick = false; ///< a peer that computes something else
  bool failed = false;    ///< counts as a failure of the benchmark
  bool otherBits = false; ///< right, with other roundings than the first
  std::int64_t launches = 0, badLaunches = 0, wrongWords = 0;
  bool changedAfter = false; ///< wrong bits after the timing
  Summary cold, warm, events;

  bool racy() const { return form.racy; }
};

/// Checks, soaks and times `rows` on the data of `cell`.
void runCell(const CellProblem &cell, const BenchOptions &options,
             const std::vector<std::shared_ptr<PeerLibrary>> &peers,
             std::vector<CellRow> &rows);

} // namespace tlc::kernels
