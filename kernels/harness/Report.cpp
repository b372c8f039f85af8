// Printing as it goes, JSON at the end.
#include "kernels/harness/Report.h"

#include "tlc/Error.h"

#include <cstdio>
#include <memory>

namespace tlc::kernels {

void Report::check(const std::string &what, bool passed,
                   const std::string &text) {
  std::printf("%-6s %-44s %s\n", passed ? "pass" : "FAIL", what.c_str(),
              text.c_str());
  std::fflush(stdout);
  checks.push_back({what, text, passed});
  failed += passed ? 0 : 1;
}

void Report::measure(const std::string &what, double value,
                     const std::string &unit) {
  std::printf("%-6s %-44s %.2f %s\n", "time", what.c_str(), value,
              unit.c_str());
  std::fflush(stdout);
  measures.push_back({what, unit, value});
}

int Report::finish(const std::string &jsonPath) const {
  if (!jsonPath.empty())
    writeJson(jsonPath);
  std::printf("%zu passed, %d failed\n", checks.size() - failed, failed);
  return failed == 0 ? 0 : 1;
}

/// `text` as a JSON string; ours holds no control characters.
static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

void Report::writeJson(const std::string &path) const {
  const auto close = [](std::FILE *file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(
      std::fopen(path.c_str(), "w"), close);
  if (!file)
    throw Error(ErrorCode::Io, "cannot write '" + path + "'");
  std::FILE *out = file.get();
  std::fprintf(out, "{\"kernel\": %s,\n \"checks\": [", quoted(kernel).c_str());
  const char *comma = "";
  for (const Check &entry : checks) {
    std::fprintf(out, "%s\n  {\"what\": %s, \"passed\": %s, \"text\": %s}",
                 comma, quoted(entry.what).c_str(),
                 entry.passed ? "true" : "false", quoted(entry.text).c_str());
    comma = ",";
  }
  std::fprintf(out, "],\n \"measures\": [");
  comma = "";
  for (const Measure &entry : measures) {
    std::fprintf(out, "%s\n  {\"what\": %s, \"value\": %.6g, \"unit\": %s}",
                 comma, quoted(entry.what).c_str(), entry.value,
                 quoted(entry.unit).c_str());
    comma = ",";
  }
  std::fprintf(out, "]}\n");
}

} // namespace tlc::kernels
