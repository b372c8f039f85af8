// Wording of what the lint finds.
#include "compiler/driver/MachineCode.h"

#include "compiler/driver/MlirDiagnostics.h"
#include "compiler/verify/sass/Flow.h"

using namespace mlir;
using namespace tlc::sass;

namespace tlc {

KernelReleases describeReleases(tile::KernelOp kernel) {
  KernelReleases all;
  kernel.walk([&](sm::LaunchOp launch) {
    all.push_back(sass::describeReleases(launch));
  });
  return all;
}

namespace {
/// The check of one function.
class FunctionCheck {
public:
  FunctionCheck(llvm::StringRef symbol, const LaunchReleases &releases,
                WarFence policy, DiagnosticEngine &engine, MachineCode &result)
      : symbol(symbol), releases(releases), policy(policy), engine(engine),
        result(result) {}

  void run(const Cubin &cubin);
  void notChecked(const Twine &why);
  bool isNeeded() const { return releases.find(Need::Check) != nullptr; }

private:
  void report(const Finding &finding);
  const ReleaseBarrier &releaseOf(const Finding &finding) const;

  llvm::StringRef symbol;
  const LaunchReleases &releases;
  WarFence policy;
  DiagnosticEngine &engine;
  MachineCode &result;
};
} // namespace

void FunctionCheck::notChecked(const Twine &why) {
  result.notChecked.push_back(why.str());
  engine.report(Diag::MachineCodeNotChecked) << why;
}

/// The barrier of the arrive or, if that is not known, one that it may be.
const ReleaseBarrier &FunctionCheck::releaseOf(const Finding &finding) const {
  return finding.barrier ? releases.barriers[*finding.barrier]
                         : *releases.find(Need::Check);
}

void FunctionCheck::report(const Finding &finding) {
  ++result.findings;
  const ReleaseBarrier &release = releaseOf(finding);
  bool expected = policy == WarFence::Membar || policy == WarFence::Delay;
  DiagnosticBuilder builder =
      engine.report(expected ? Diag::MachineCodeRaces : Diag::MachineCodeUnsafe,
                    sourceSpan(release.loc));
  builder << release.slots << offsetText(finding.arrive) << symbol
          << offsetText(finding.read);
  if (finding.membar)
    builder.note("MEMBAR stands between them; it does not wait for loads");
  if (finding.fence)
    builder.note("nothing waits for the fence that stands between them");
}

void FunctionCheck::run(const Cubin &cubin) {
  LintResult lint =
      sass::lint(cubin, symbol, releases.lintBarriers(), releases.elsewhere);
  if (!lint.skipped.empty())
    return notChecked(lint.skipped);
  if (!lint.findings.empty() && releases.find(Need::FencedByProducer))
    return notChecked("in '" + symbol +
                      "', reads of slots that the producer "
                      "fences cannot be told from others");
  result.releases += lint.releases;
  for (const Finding &finding : lint.findings)
    report(finding);
}

/// What the producer fences is safe whatever its readers' arrives wait for.
static void notePolicy(const LaunchReleases &releases, FunctionCheck &check) {
  for (const ReleaseBarrier &release : releases.barriers)
    if (release.need == Need::FencedByProducer)
      check.notChecked("the fence of " + release.slots +
                       " is on the producer's side, so its readers' arrives "
                       "need not wait");
}

MachineCode checkMachineCode(llvm::StringRef bytes,
                             ArrayRef<cuda::KernelSignature> functions,
                             const KernelReleases &releases, WarFence policy,
                             DiagnosticEngine &engine) {
  MachineCode result;
  llvm::Expected<Cubin> cubin = readCubin(bytes);
  std::string damage =
      cubin ? std::string() : llvm::toString(cubin.takeError());
  for (auto [function, barriers] : llvm::zip(functions, releases)) {
    FunctionCheck check(function.symbol, barriers, policy, engine, result);
    notePolicy(barriers, check);
    if (!check.isNeeded())
      continue;
    if (damage.empty())
      check.run(*cubin);
    else
      check.notChecked(damage);
  }
  return result;
}

} // namespace tlc
