// What the launches come down to: rows of a table, and whether they show what
// they must.
#pragma once

#include "test/exec/war_race/BatchCompare.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tlc::test {

/// Launches of one form at one shape with one pattern of flags.
struct Cell {
  std::string structure, release, path, shape, mask;
  bool isDefect = false;
  RaceCounts counts;
};

class Evidence {
public:
  void add(const Cell &cell) { cells.push_back(cell); }
  /// A form that could not be made.
  void note(const std::string &text);

  /// Bad launches of each form and path by shape, for each mask in the order in
  /// which they were added, and what the wrong elements are.
  std::string table() const;
  /// Whether a defect failed in some path, each wrong element of launches
  /// without flags being the slot's next generation.
  bool showsRace() const;
  /// Whether there is a derived form, each was launched that often on each of
  /// its paths, and no launch was wrong.
  bool derivedExact(std::uint64_t launches) const;
  /// One line a defect and path that passed: such a pass counts for nothing.
  std::vector<std::string> passes() const;
  const std::vector<std::string> &notes() const { return noteLines; }

private:
  /// The cells of one form on one path.
  struct Row {
    Cell form;                    ///< shape, mask and counts do not count
    RaceCounts all, off;          ///< `off`: no flag set
    std::vector<std::string> bad; ///< by shape: launches of each mask
  };
  std::vector<Row> rows(std::vector<std::string> &columns) const;

  std::vector<Cell> cells;
  std::vector<std::string> noteLines;
};

/// One side of the fence in a soak.
struct SoakSide {
  std::string release;
  std::vector<RaceCounts> paths;
  std::vector<double> times; ///< microseconds a launch, by path and shape
};

/// The rule by which a soak chooses the default, in words.
std::string soakRule(std::uint64_t launches);
/// What it chooses.
std::string decideSoak(const SoakSide &consumer, const SoakSide &producer,
                       std::uint64_t launches);

} // namespace tlc::test
