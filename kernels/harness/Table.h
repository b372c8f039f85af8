// Columns that line up.
#pragma once

#include <string>
#include <vector>

namespace tlc::kernels {

/// A table of text: the first column to the left, the others to the right, and
/// a last one of notes to the left again; two spaces between them, no spaces at
/// the end of a line.
class Table {
public:
  explicit Table(std::vector<std::string> header, bool notesLast = false);
  /// A row with fewer cells than the header leaves the last ones empty; more
  /// are an error of the caller and are left out.
  void row(std::vector<std::string> cells);
  /// Header and rows, each with a line end.
  std::string text() const;

private:
  std::vector<std::vector<std::string>> rows;
  bool notesLast;
};

/// `value` with `digits` behind the point, "-" where it is not finite.
std::string fixed(double value, int digits);

} // namespace tlc::kernels
