// Two passes: widths, then lines.
#include "kernels/harness/Table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tlc::kernels {

Table::Table(std::vector<std::string> header, bool notesLast)
    : notesLast(notesLast) {
  rows.push_back(std::move(header));
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(rows.front().size());
  rows.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto &cells : rows)
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], cells[i].size());
  std::string text;
  for (const auto &cells : rows) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string pad(widths[i] - cells[i].size(), ' ');
      const bool left = i == 0 || (notesLast && i + 1 == cells.size());
      line += (i == 0 ? "" : "  ") + (left ? cells[i] + pad : pad + cells[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string fixed(double value, int digits) {
  if (!std::isfinite(value))
    return "-";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

} // namespace tlc::kernels
