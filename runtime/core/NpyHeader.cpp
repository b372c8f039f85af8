#include "runtime/core/NpyHeader.h"

#include <fmt/format.h>

#include <cctype>

namespace tlc::rt {
namespace {

struct DescrRow {
  std::string_view descr;
  DType dtype;
};

// The first row of a dtype is what is written; the first of a descr is what is
// read when nothing is said.
constexpr DescrRow kDescrs[] = {
    {"|b1", DType::Bool},       {"|i1", DType::Int8},
    {"<i2", DType::Int16},      {"<i4", DType::Int32},
    {"<i8", DType::Int64},      {"|u1", DType::UInt8},
    {"<u2", DType::UInt16},     {"<u4", DType::UInt32},
    {"<u8", DType::UInt64},     {"<f2", DType::Float16},
    {"<f4", DType::Float32},    {"<f8", DType::Float64},
    {"<V2", DType::BFloat16},   {"|V2", DType::BFloat16},
    {"<u2", DType::BFloat16},   {"|V1", DType::Float8E4M3FN},
    {"|V1", DType::Float8E5M2}, {"<V1", DType::Float8E4M3FN},
    {"<V1", DType::Float8E5M2}, {"<f1", DType::Float8E4M3FN},
    {"<f1", DType::Float8E5M2}, {"|u1", DType::Float8E4M3FN},
    {"|u1", DType::Float8E5M2}, {"<f4", DType::TFloat32},
    {"|i1", DType::Bool},       {"|u1", DType::Bool},
};

/// A cursor over the Python literal.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text(text) {}

  void skipSpace() {
    while (position < text.size() &&
           std::isspace(static_cast<unsigned char>(text[position])))
      ++position;
  }
  bool accept(char c) {
    skipSpace();
    if (position == text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }
  bool word(std::string_view expected) {
    skipSpace();
    if (!text.substr(position).starts_with(expected))
      return false;
    position += expected.size();
    return true;
  }
  bool string(std::string &out) {
    skipSpace();
    if (position == text.size() ||
        (text[position] != '\'' && text[position] != '"'))
      return false;
    char quote = text[position++];
    std::size_t end = text.find(quote, position);
    if (end == std::string_view::npos)
      return false;
    out = text.substr(position, end - position);
    position = end + 1;
    return true;
  }
  bool extent(std::int64_t &out) {
    skipSpace();
    std::size_t begin = position;
    out = 0;
    while (position < text.size() &&
           std::isdigit(static_cast<unsigned char>(text[position])))
      if (__builtin_mul_overflow(out, 10, &out) ||
          __builtin_add_overflow(out, text[position++] - '0', &out))
        return false;
    word("L"); // files of Python 2
    return position != begin;
  }
  bool atEnd() {
    skipSpace();
    return position == text.size();
  }

private:
  std::string_view text;
  std::size_t position = 0;
};

std::string parseShape(Scanner &scanner, Dims &shape) {
  if (!scanner.accept('('))
    return "'shape' is not a tuple";
  while (!scanner.accept(')')) {
    std::int64_t extent = 0;
    if (!scanner.extent(extent))
      return "'shape' holds something that is no extent";
    if (shape.size() == kMaxRank)
      return fmt::format("'shape' has more than {} dimensions", kMaxRank);
    shape.push(extent);
    if (scanner.accept(','))
      continue;
    if (!scanner.accept(')'))
      return "'shape' is not closed";
    break;
  }
  return "";
}

} // namespace

std::string parseNpyHeader(std::string_view text, NpyHeader &header) {
  Scanner scanner(text);
  if (!scanner.accept('{'))
    return "it is not a dictionary";
  bool hasDescr = false, hasOrder = false, hasShape = false;
  while (!scanner.accept('}')) {
    std::string key;
    if (!scanner.string(key) || !scanner.accept(':'))
      return "a key is missing";
    if (key == "descr") {
      hasDescr = scanner.string(header.descr);
      if (!hasDescr)
        return "'descr' is not a plain dtype (structured arrays cannot be "
               "read)";
    } else if (key == "fortran_order") {
      header.fortranOrder = scanner.word("True");
      hasOrder = header.fortranOrder || scanner.word("False");
      if (!hasOrder)
        return "'fortran_order' is neither True nor False";
    } else if (key == "shape") {
      header.shape = Dims();
      std::string problem = parseShape(scanner, header.shape);
      if (!problem.empty())
        return problem;
      hasShape = true;
    } else {
      return fmt::format("unknown key '{}'", key);
    }
    scanner.accept(',');
  }
  if (!hasDescr || !hasOrder || !hasShape)
    return "'descr', 'fortran_order' or 'shape' is missing";
  return scanner.atEnd() ? "" : "there is text after the dictionary";
}

std::string formatNpyHeader(DType dtype, const Dims &shape) {
  std::string_view descr;
  for (const DescrRow &row : kDescrs)
    if (row.dtype == dtype && descr.empty())
      descr = row.descr;
  std::string extents;
  for (std::int64_t extent : shape)
    extents += fmt::format("{},{}", extent, shape.size() == 1 ? "" : " ");
  if (shape.size() > 1) // (2, 3): no comma after the last
    extents.resize(extents.size() - 2);
  return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': "
                     "({}), }}",
                     descr, extents);
}

std::vector<DType> dtypesOfDescr(std::string_view descr) {
  std::vector<DType> list;
  // Byte order means nothing for one byte, and '=' is this machine's.
  std::string key(descr);
  if (key.size() == 3 && key[2] == '1' &&
      (key[1] == 'i' || key[1] == 'u' || key[1] == 'b' || key[1] == 'V'))
    key[0] = '|';
  else if (key.starts_with("="))
    key[0] = '<';
  for (const DescrRow &row : kDescrs)
    if (row.descr == key)
      list.push_back(row.dtype);
  return list;
}

} // namespace tlc::rt
