#include "test/exec/war_race/Evidence.h"

#include "kernels/harness/Table.h"

#include <algorithm>
#include <cmath>

namespace tlc::test {

static constexpr const char *kOff = "off";

void Evidence::note(const std::string &text) {
  if (std::ranges::find(noteLines, text) == noteLines.end())
    noteLines.push_back(text);
}

std::vector<Evidence::Row>
Evidence::rows(std::vector<std::string> &columns) const {
  for (const Cell &cell : cells)
    if (std::ranges::find(columns, cell.shape) == columns.end())
      columns.push_back(cell.shape);
  std::vector<Row> list;
  for (const Cell &cell : cells) {
    auto row = std::ranges::find_if(list, [&](const Row &known) {
      return known.form.structure == cell.structure &&
             known.form.release == cell.release && known.form.path == cell.path;
    });
    if (row == list.end()) {
      list.push_back({cell, {}, {}, std::vector<std::string>(columns.size())});
      row = list.end() - 1;
    }
    row->all += cell.counts;
    if (cell.mask == kOff)
      row->off += cell.counts;
    const auto column = std::ranges::find(columns, cell.shape);
    std::string &bad = row->bad[column - columns.begin()];
    bad += (bad.empty() ? "" : "|") + std::to_string(cell.counts.bad);
  }
  return list;
}

std::string Evidence::table() const {
  std::vector<std::string> columns;
  const std::vector<Row> list = rows(columns);
  std::vector<std::string> header{"structure release path"};
  header.insert(header.end(), columns.begin(), columns.end());
  for (const char *title : {"bad", "launches", "wrong off", "next gen."})
    header.emplace_back(title);
  kernels::Table table(header);
  for (const Row &row : list) {
    std::vector<std::string> line{row.form.structure + " " + row.form.release +
                                  " " + row.form.path};
    line.insert(line.end(), row.bad.begin(), row.bad.end());
    for (const std::uint64_t number : {row.all.bad, row.all.launches})
      line.push_back(std::to_string(number));
    line.push_back(row.off.wrong == 0 ? "-" : std::to_string(row.off.wrong));
    line.push_back(row.off.wrong == 0       ? "-"
                   : row.off.hasSignature() ? "all"
                                            : std::to_string(row.off.next));
    table.row(line);
  }
  return table.text();
}

bool Evidence::showsRace() const {
  std::vector<std::string> columns;
  return std::ranges::any_of(rows(columns), [](const Row &row) {
    return row.form.isDefect && row.off.hasSignature();
  });
}

bool Evidence::derivedExact(std::uint64_t launches) const {
  std::vector<std::string> columns;
  std::vector<Row> derived = rows(columns);
  std::erase_if(derived, [](const Row &row) { return row.form.isDefect; });
  return !derived.empty() && std::ranges::all_of(derived, [&](const Row &row) {
    return row.all.bad == 0 && row.all.launches >= launches;
  });
}

std::vector<std::string> Evidence::passes() const {
  std::vector<std::string> columns, lines;
  for (const Row &row : rows(columns))
    if (row.form.isDefect && row.all.bad == 0)
      lines.push_back(row.form.structure + " " + row.form.release + ", " +
                      row.form.path + ": passed " +
                      std::to_string(row.all.launches) +
                      " launches here; that counts for nothing");
  return lines;
}

/// Sides whose times differ by less are as fast.
static constexpr double kAsFast = 0.01;

std::string soakRule(std::uint64_t launches) {
  return "rule: a side with a wrong launch is out; both must have " +
         std::to_string(launches) +
         " launches on each path; then the faster one (geometric mean over "
         "paths and shapes) is the default, and the readers' side where the "
         "means differ by less than 1 %";
}

static std::uint64_t badOf(const SoakSide &side) {
  std::uint64_t sum = 0;
  for (const RaceCounts &path : side.paths)
    sum += path.bad;
  return sum;
}

static std::uint64_t fewestOf(const SoakSide &side) {
  std::uint64_t fewest = side.paths.empty() ? 0 : ~std::uint64_t{0};
  for (const RaceCounts &path : side.paths)
    fewest = std::min(fewest, path.launches);
  return fewest;
}

/// Time of `producer` relative to `consumer`.
static double ratioOf(const SoakSide &consumer, const SoakSide &producer) {
  double sum = 0;
  for (std::size_t i = 0; i < consumer.times.size(); ++i)
    sum += std::log(producer.times[i] / consumer.times[i]);
  return std::exp(sum / static_cast<double>(consumer.times.size()));
}

std::string decideSoak(const SoakSide &consumer, const SoakSide &producer,
                       std::uint64_t launches) {
  const std::uint64_t consumerBad = badOf(consumer),
                      producerBad = badOf(producer);
  if (consumerBad != 0 && producerBad != 0)
    return "neither side is exact";
  if (consumerBad != 0 || producerBad != 0)
    return (consumerBad == 0 ? consumer : producer).release +
           ": the other side had wrong launches";
  const std::uint64_t fewest = std::min(fewestOf(consumer), fewestOf(producer));
  if (fewest < launches)
    return "not decided: a path had " + std::to_string(fewest) + " of " +
           std::to_string(launches) + " launches, none wrong";
  if (consumer.times.empty() || consumer.times.size() != producer.times.size())
    return "not decided: nothing was timed";
  const double ratio = ratioOf(consumer, producer);
  const std::string text = "producer / readers = " + kernels::fixed(ratio, 4);
  if (std::abs(ratio - 1) < kAsFast)
    return consumer.release + ": both exact and as fast, " + text;
  return (ratio < 1 ? producer : consumer).release +
         ": both exact, this one is faster, " + text;
}

} // namespace tlc::test
