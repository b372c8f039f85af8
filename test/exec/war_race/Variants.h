// What the program that compiles and the program that launches agree on: which
// forms of correct_h0 there are, in which files.
#pragma once

#include "kernels/correct_h0/Problem.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tlc::test {

/// Segments and heads of the launches. Block counts from far below the number
/// of multiprocessors to about it, and one long walk.
struct Shape {
  std::string name;
  std::int64_t segments, heads;
};
std::span<const Shape> allShapes();

/// The problem of a path ("kv fwd") at a shape.
kernels::StateProblem problemOf(const std::string &path, const Shape &shape);
/// kv fwd, vk fwd, kv bwd, vk bwd.
std::vector<std::string> allPaths();

/// How the compiler protects slots, by the spelling of --war-fence; each must
/// be exact.
inline constexpr const char *kDerived[] = {"proxy", "proxy-producer", "delay"};
/// What stands in place of the fences of "proxy"; each may race.
inline constexpr const char *kDefects[] = {"none", "bar.sync", "membar"};
/// "derived" as the compiler makes it, "plain" with every optimisation off that
/// `--disable` knows.
inline constexpr const char *kStructures[] = {"derived", "plain"};

/// A form of the kernel: a file, or why there is none.
struct RaceVariant {
  std::string path;
  std::int64_t heads = 0;
  std::string structure, release;
  std::string file;    ///< "NAME.cubin" in the folder of the index, or empty
  std::string problem; ///< why there is no file
  /// Rings whose fences were replaced, with the number of slots.
  std::map<std::string, std::int64_t> rings;

  bool isDefect() const;
};

/// index.json of `folder`. Throws tlc::Error (Io, InvalidArgument).
void writeIndex(const std::string &folder,
                std::span<const RaceVariant> variants);
std::vector<RaceVariant> readIndex(const std::string &folder);

const RaceVariant *findVariant(std::span<const RaceVariant> variants,
                               const std::string &path, std::int64_t heads,
                               const std::string &structure,
                               const std::string &release);

} // namespace tlc::test
