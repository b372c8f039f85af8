// Which kernels at which sizes, and the tables.
#include "kernels/correct_h0/Bench.h"

#include "kernels/correct_h0/BenchCell.h"
#include "kernels/harness/Table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <future>

namespace tlc::kernels {

extern const std::string_view kCorrectH0Source;

namespace {
struct Size {
  std::string name;
  std::int64_t segments = 0, heads = 0;
};

/// One size and pattern of flags with its four paths.
struct Block {
  Size size;
  Mask mask = Mask::On;
  std::vector<std::string> paths;
  std::vector<std::vector<CellRow>> cells; ///< rows, by path
  std::vector<double> floors;              ///< us, by path
};
} // namespace

/// Tokens with the segments that they are cut into.
static const std::pair<const char *, std::int64_t> kTokens[] = {
    {"32K", 16}, {"8K", 8}, {"4K", 16}};

static std::vector<Size> defaultSizes(bool cross) {
  if (!cross)
    return {{"32K/32", 16, 32}, {"8K/16", 8, 16}, {"4K/4", 16, 4}};
  std::vector<Size> sizes;
  for (const auto &[tokens, segments] : kTokens)
    for (const std::int64_t heads : {32, 16, 4})
      sizes.push_back(
          {std::string(tokens) + "/" + std::to_string(heads), segments, heads});
  return sizes;
}

/// "8K/16" or "40x2"; throws tlc::Error.
static Size parseSize(const std::string &text) {
  for (const Size &size : defaultSizes(/*cross=*/true))
    if (size.name == text)
      return size;
  constexpr std::int64_t kMost = 4096;
  const std::vector<std::int64_t> extents = parseExtents(text);
  if (extents.size() == 2 &&
      std::ranges::all_of(extents, [](std::int64_t extent) {
        return extent > 0 && extent <= kMost;
      }))
    return {text, extents[0], extents[1]};
  throw Error(
      ErrorCode::InvalidArgument,
      "--size '" + text +
          "': correct_h0 has TOKENS/HEADS with tokens 32K, 8K or 4K and "
          "heads 32, 16 or 4, and SEGMENTSxHEADS such as 40x2");
}

static std::vector<StateProblem> chosenPaths(const BenchOptions &options,
                                             const Size &size) {
  std::vector<StateProblem> all = mainPaths({size.segments}, size.heads), list;
  if (options.paths.empty())
    return all;
  for (const std::string &wanted : options.paths) {
    const auto found = std::ranges::find_if(all, [&](const StateProblem &path) {
      std::string name = pathName(path);
      name[2] = '-';
      return name == wanted;
    });
    if (found == all.end())
      throw Error(ErrorCode::InvalidArgument,
                  "--path '" + wanted +
                      "': correct_h0 has kv-fwd, vk-fwd, kv-bwd and vk-bwd");
    list.push_back(*found);
  }
  return list;
}

/// The program without warp specialization: as fast as it gets, and as it is
/// written, every optimisation off.
static std::vector<Form> unspecialized(const BenchTools &tools) {
  std::vector<Form> forms = {
      {.name = "WS off, TMA", .options = {"--no-warp-specialize"}},
      {.name = "WS off, cp.async",
       .options = {"--no-warp-specialize=cp-async"},
       .optional = true}};
  Form plain = forms.back();
  plain.name += ", as written";
  for (const Lever &lever : tools.levers)
    plain.options.push_back(lever.option);
  forms.push_back(std::move(plain));
  return forms;
}

static bool isUnspecialized(const std::string &name) {
  return name.starts_with("WS off");
}

static std::vector<Form> policies(const Size &size, const BenchTools &tools) {
  std::vector<Form> forms = {
      {.name = "proxy"},
      {.name = "proxy-producer", .options = {"--war-fence=proxy-producer"}},
      {.name = "delay", .options = {"--war-fence=delay"}},
      {.name = "membar", .options = {"--war-fence=membar"}, .racy = true}};
  for (Form &form : unspecialized(tools))
    forms.push_back(std::move(form));
  // Narrow blocks fill the chip where there are few heads.
  if (size.segments * size.heads < 512)
    for (const char *width : {"16", "8"})
      forms.push_back({.name = std::string("proxy, block ") + width,
                       .defines = {{"block_DV", width}},
                       .optional = true});
  return forms;
}

static std::vector<Form> ablations(const BenchTools &tools) {
  std::vector<Form> forms = {{.name = "all on"}};
  Form none{.name = "all off"};
  for (const Lever &lever : tools.levers) {
    forms.push_back({.name = "no " + lever.name, .options = {lever.option}});
    none.options.push_back(lever.option);
  }
  forms.push_back(std::move(none));
  return forms;
}

/// The form for one problem: its factory parameters, then those of the command
/// line, then its own.
static Form formFor(const Form &form, const StateProblem &problem,
                    const BenchOptions &options) {
  Form result = form;
  result.defines.clear();
  for (const std::string &define : variantOf(problem).defines) {
    const std::size_t equals = define.find('=');
    result.defines[define.substr(0, equals)] = define.substr(equals + 1);
  }
  for (const auto *given : {&options.defines, &form.defines})
    for (const auto &[name, value] : *given)
      result.defines[name] = value;
  return result;
}

/// Rows of every path of `block`: our forms, compiled, then the peers.
static void makeRows(Block &block, const std::vector<StateProblem> &paths,
                     const BenchOptions &options, const BenchTools &tools,
                     const std::vector<std::shared_ptr<PeerLibrary>> &peers) {
  std::vector<Form> forms;
  // The first is what the others are compared with.
  const std::vector<Form> wanted =
      options.ablation ? ablations(tools) : policies(block.size, tools);
  for (const StateProblem &path : paths)
    for (const Form &form : wanted)
      if (options.selects(form.name) || &form == &wanted.front())
        forms.push_back(formFor(form, path, options));
  const std::string text =
      options.source.empty() ? std::string(kCorrectH0Source) : options.source;
  const std::vector<Compiled> compiled =
      compileAll(tools, text, "correct_h0.tl", forms);
  const std::size_t each = forms.size() / paths.size();
  for (std::size_t i = 0; i < forms.size(); ++i) {
    CellRow row;
    row.name = forms[i].name;
    row.form = forms[i];
    row.kernel = compiled[i].kernel;
    row.problem = compiled[i].problem;
    row.failed = !row.problem.empty() && !row.form.optional;
    block.cells[i / each].push_back(std::move(row));
  }
  for (std::vector<CellRow> &rows : block.cells)
    for (std::size_t i = 0; i < peers.size(); ++i) {
      const std::vector<std::string> names = peers[i]->kernels("correct_h0");
      for (std::size_t k = 0; k < names.size(); ++k) {
        CellRow row;
        row.name = names[k];
        row.peer = static_cast<int>(i);
        row.peerKernel = static_cast<int>(k);
        row.yardstick = names[k].starts_with("(");
        rows.push_back(std::move(row));
      }
    }
}

static std::string bitsText(const CellRow &row) {
  if (!row.wrong.empty())
    return "WRONG: " + row.wrong;
  if (row.racy() && row.launches == 0)
    return "expected to fail; there was nothing to compare with";
  if (row.racy()) {
    const std::string seen = std::to_string(row.badLaunches) + " of " +
                             std::to_string(row.launches) + " launches";
    return "expected to fail, failures seen: " + seen;
  }
  if (row.badLaunches > 0)
    return "WRONG in " + std::to_string(row.badLaunches) + " of " +
           std::to_string(row.launches) + " launches";
  if (row.changedAfter)
    return "WRONG after timing";
  if (row.yardstick)
    return "not compared";
  return row.otherBits ? "right, own roundings" : "right";
}

/// The first line of a message; the rest of a diagnostic is its source.
static std::string firstLine(const std::string &text) {
  std::string line = text.substr(0, text.find('\n'));
  constexpr std::size_t kMost = 100;
  return line.size() > kMost ? line.substr(0, kMost) + "..." : line;
}

static void printCell(const CellProblem &cell, const std::vector<CellRow> &rows,
                      double floor) {
  std::printf("\ncorrect_h0 %s %s, flags %s: %.1f MB, floor %.2f us\n",
              cell.size.c_str(), pathName(cell.problem).c_str(),
              nameOf(cell.mask), cell.traffic() / 1e6, floor);
  Table table({"kernel", "cold us", "+-%", "/floor", "warm us", "events us",
               "regs", "result"},
              /*notesLast=*/true);
  for (const CellRow &row : rows) {
    if (!row.problem.empty()) {
      if (row.peer < 0 || row.failed)
        table.row(
            {row.name, "-", "-", "-", "-", "-", "-", firstLine(row.problem)});
      continue;
    }
    const Json resources = row.kernel ? resourcesOf(*row.kernel) : Json();
    const bool known =
        resources.is_object() && resources["registers"].is_number();
    table.row(
        {row.name, fixed(row.cold.median, 2), fixed(row.cold.spreadPercent, 1),
         fixed(row.cold.median / floor, 2), fixed(row.warm.median, 2),
         fixed(row.events.median, 2),
         known ? resources["registers"].dump() : "-", "  " + bitsText(row)});
  }
  std::printf("%s", table.text().c_str());
  std::fflush(stdout);
}

static Json jsonOf(const CellRow &row, double floor) {
  Json json{{"kernel", row.name}, {"peer", row.peer >= 0}};
  if (row.peer < 0) {
    json["options"] = row.form.options;
    json["defines"] = row.form.defines;
  }
  json["failed"] = row.failed;
  if (!row.problem.empty()) {
    json["problem"] = row.problem;
    return json;
  }
  json["cold"] = jsonOf(row.cold);
  json["warm"] = jsonOf(row.warm);
  json["events"] = jsonOf(row.events);
  json["floor_ratio"] = row.cold.median / floor;
  json["result"] = bitsText(row);
  json["expected_to_fail"] = row.racy();
  json["launches"] = row.launches;
  json["bad_launches"] = row.badLaunches;
  json["wrong_words"] = row.wrongWords;
  if (row.kernel)
    json["resources"] = resourcesOf(*row.kernel);
  return json;
}

/// The fastest right kernel of ours or of the peers; infinite without one.
static double fastest(const std::vector<CellRow> &rows, bool peers) {
  double best = INFINITY;
  for (const CellRow &row : rows)
    if (row.problem.empty() && !row.failed && !row.racy() && !row.yardstick &&
        (row.peer >= 0) == peers)
      best = std::min(best, row.cold.median);
  return best;
}

/// How many times as fast the first kernel of `rows` is as `row`, and would be
/// if it ran at the floor; 0 where one of them has no time.
static std::pair<double, double>
gainOver(const CellRow &row, const std::vector<CellRow> &rows, double floor) {
  const CellRow &ours = rows.front();
  if (!row.problem.empty() || !ours.problem.empty() || ours.cold.median <= 0)
    return {0, 0};
  return {row.cold.median / ours.cold.median, row.cold.median / floor};
}

/// One line for each form without warp specialization.
static void addGains(Table &table, const Block &block) {
  const std::vector<CellRow> &names = block.cells.front();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!isUnspecialized(names[i].name))
      continue;
    std::vector<std::string> line{names.front().name + " over " +
                                  names[i].name};
    bool any = false;
    for (std::size_t p = 0; p < block.cells.size(); ++p) {
      const auto [gain, most] =
          gainOver(block.cells[p][i], block.cells[p], block.floors[p]);
      any |= gain > 0;
      line.push_back(gain > 0 ? fixed(gain, 2) + "x of " + fixed(most, 2) + "x"
                              : "-");
    }
    if (any)
      table.row(line);
  }
}

/// Cold times by kernel and path, with their ratio to the floor.
static std::string summaryOf(const Block &block, bool ablation) {
  std::vector<std::string> header{block.size.name + ", flags " +
                                  nameOf(block.mask)};
  for (const std::string &path : block.paths)
    header.push_back(path);
  Table table(header);
  for (std::size_t i = 0; i < block.cells.front().size(); ++i) {
    std::vector<std::string> line{block.cells.front()[i].name};
    bool any = false;
    for (std::size_t p = 0; p < block.cells.size(); ++p) {
      const CellRow &row = block.cells[p][i];
      std::string text = "-";
      if (row.problem.empty()) {
        const double base =
            ablation ? block.cells[p].front().cold.median : block.floors[p];
        text = fixed(row.cold.median, 2) +
               (row.badLaunches > 0 || row.failed ? "*" : " ") + " " +
               fixed(row.cold.median / base, 2) + "x";
      }
      any |= row.problem.empty() || row.failed;
      line.push_back(text);
    }
    if (any)
      table.row(line);
  }
  if (!ablation)
    addGains(table, block);
  std::vector<std::string> ratios{"ours / best peer"};
  bool compared = false;
  for (const auto &rows : block.cells) {
    const double ratio = fastest(rows, false) / fastest(rows, true);
    compared |= std::isfinite(ratio) && ratio > 0;
    ratios.push_back(ratio > 0 ? fixed(ratio, 2) + "x" : "-");
  }
  if (compared)
    table.row(ratios);
  return table.text();
}

/// Runs the cells of a block; the CPU prepares the next while the GPU runs one.
static void runBlock(Block &block, const std::vector<StateProblem> &paths,
                     const BenchOptions &options, const BenchTools &tools,
                     const std::vector<std::shared_ptr<PeerLibrary>> &peers,
                     double copyRate, BenchResult &result) {
  tools.progress("correct_h0 " + block.size.name + ": compiling");
  const auto prepare = [&](std::size_t p) {
    return std::async(std::launch::async, [&, p] {
      return makeCell(block.size.name, paths[p], block.mask);
    });
  };
  std::future<CellProblem> next = prepare(0);
  makeRows(block, paths, options, tools, peers);
  for (std::size_t p = 0; p < paths.size(); ++p) {
    tools.progress("correct_h0 " + block.size.name + " " + block.paths[p] +
                   ": checking and timing");
    const CellProblem cell = next.get();
    if (p + 1 < paths.size())
      next = prepare(p + 1);
    std::vector<CellRow> &rows = block.cells[p];
    runCell(cell, options, peers, rows);
    block.floors[p] = cell.traffic() / copyRate * 1e6;
    tools.progress("");
    printCell(cell, rows, block.floors[p]);
    Json json{{"size", cell.size},
              {"path", pathName(cell.problem)},
              {"segments", cell.problem.segments()},
              {"heads", cell.problem.heads},
              {"flags", nameOf(block.mask)},
              {"bytes", cell.traffic()},
              {"floor_us", block.floors[p]},
              {"kernels", Json::array()}};
    for (const CellRow &row : rows) {
      json["kernels"].push_back(jsonOf(row, block.floors[p]));
      result.failures += row.failed ? 1 : 0;
      if (const auto [gain, most] = gainOver(row, rows, block.floors[p]);
          gain > 0 && isUnspecialized(row.name))
        json["gains"][row.name] = {{"times_as_fast", gain}, {"at_most", most}};
    }
    result.json["cells"].push_back(std::move(json));
  }
}

/// Each once, in the order of the command line.
static std::vector<Mask> chosenMasks(const BenchOptions &options) {
  std::vector<Mask> masks;
  for (const std::string &name : options.masks) {
    const std::optional<Mask> mask = parseMask(name);
    if (!mask)
      throw Error(ErrorCode::InvalidArgument,
                  "--mask '" + name + "': expected on, off or mixed");
    if (std::ranges::find(masks, *mask) == masks.end())
      masks.push_back(*mask);
  }
  return masks.empty() ? std::vector<Mask>{Mask::On} : masks;
}

BenchResult benchCorrectH0(const BenchOptions &options,
                           const BenchTools &tools) {
  const std::vector<Mask> masks = chosenMasks(options);
  std::vector<Size> sizes;
  sizes.reserve(options.sizes.size());
  for (const std::string &text : options.sizes)
    sizes.push_back(parseSize(text));
  if (sizes.empty())
    sizes = defaultSizes(options.cross);
  for (const Size &size : sizes)
    chosenPaths(options, size);
  std::vector<std::shared_ptr<PeerLibrary>> peers;
  peers.reserve(options.peers.size());
  for (const std::string &path : options.peers)
    peers.push_back(PeerLibrary::open(path));

  rt::Device::get().makeCurrent();
  BenchResult result;
  const double copyRate = measureCopyRate();
  result.json = {{"benchmark", "correct_h0"},
                 {"copy_bytes_per_second", copyRate},
                 {"cells", Json::array()}};
  if (options.ablation)
    for (const Lever &lever : tools.levers)
      result.json["levers"][lever.name] = lever.help;
  result.summary =
      "correct_h0: cold, us a launch and " +
      std::string(options.ablation ? "ratio to all on"
                                   : "ratio to the DRAM floor at " +
                                         fixed(copyRate / 1e12, 2) + " TB/s") +
      "; * wrong results" +
      (options.ablation ? ""
                        : "\n'over': times as fast, of the most that the "
                          "floor leaves") +
      (peers.empty() ? "; peer: not installed (--peer)\n" : "\n");
  for (const Size &size : sizes)
    for (const Mask mask : masks) {
      const std::vector<StateProblem> paths = chosenPaths(options, size);
      Block block{size, mask, {}, {}, {}};
      for (const StateProblem &path : paths)
        block.paths.push_back(pathName(path));
      block.cells.resize(paths.size());
      block.floors.resize(paths.size());
      // A kernel that breaks the device ends everything but what was found.
      try {
        runBlock(block, paths, options, tools, peers, copyRate, result);
      } catch (const Error &error) {
        result.stopped = error.what();
        return result;
      }
      result.summary += "\n" + summaryOf(block, options.ablation);
    }
  return result;
}

} // namespace tlc::kernels
