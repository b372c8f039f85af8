// Compiling, and figures as JSON.
#include "kernels/harness/Bench.h"

#include "kernels/harness/Parallel.h"
#include "tlc/Error.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tlc::kernels {

std::vector<Compiled> compileAll(const BenchTools &tools,
                                 const std::string &text,
                                 const std::string &fileName,
                                 const std::vector<Form> &forms) {
  std::vector<Compiled> results(forms.size());
  forEachInParallel(forms.size(), [&](std::size_t i) {
    try {
      results[i].kernel = tools.compile(text, fileName, forms[i]);
    } catch (const Error &error) {
      const std::string_view diagnostics = error.diagnostics();
      results[i].problem = diagnostics.empty() ? std::string(error.what())
                                               : std::string(diagnostics);
    }
  });
  return results;
}

std::vector<std::int64_t> parseExtents(std::string_view text) {
  std::vector<std::int64_t> extents;
  const char *next = text.data(), *end = text.data() + text.size();
  while (true) {
    std::int64_t &extent = extents.emplace_back();
    const auto [after, error] = std::from_chars(next, end, extent);
    if (error != std::errc())
      return {};
    if (after == end)
      return extents;
    if (*after != 'x')
      return {};
    next = after + 1;
  }
}

int rotatingSets(double bytes) {
  constexpr double kTogether = 3e8;
  return static_cast<int>(
      std::clamp(std::ceil(kTogether / std::max(bytes, 1.0)), 2.0, 16.0));
}

Json resourcesOf(const Kernel &kernel) {
  const std::vector<KernelResources> list = kernel.resources();
  if (list.empty())
    return nullptr;
  const KernelResources &figures = list.front();
  const auto json = [](const std::optional<std::int64_t> &figure) {
    return figure ? Json(*figure) : Json(nullptr);
  };
  return {{"registers", json(figures.registers)},
          {"spill_bytes", json(figures.spillStoreBytes)},
          {"dynamic_shared_bytes", json(figures.dynamicSharedBytes)}};
}

Json jsonOf(const Summary &summary) {
  return {{"us", summary.median},
          {"least", summary.least},
          {"most", summary.most},
          {"spread_percent", summary.spreadPercent}};
}

} // namespace tlc::kernels
