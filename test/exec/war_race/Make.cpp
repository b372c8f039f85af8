#include "test/exec/war_race/Make.h"

#include "kernels/harness/WholeFile.h"
#include "test/exec/war_race/ReleaseFences.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;

namespace tlc::test {

std::vector<RaceVariant> listVariants() {
  std::vector<RaceVariant> variants;
  auto add = [&](const std::string &structure, const std::string &path,
                 std::int64_t heads, std::span<const char *const> releases) {
    for (const char *release : releases) {
      RaceVariant &variant = variants.emplace_back();
      variant.path = path;
      variant.heads = heads;
      variant.structure = structure;
      variant.release = release;
    }
  };
  for (const std::string &path : allPaths())
    for (const Shape &shape : allShapes()) {
      add("derived", path, shape.heads, kDerived);
      add("derived", path, shape.heads, kDefects);
      add("plain", path, shape.heads, std::span(kDerived).first(1));
      add("plain", path, shape.heads, kDefects);
    }
  return variants;
}

static CompileOptions optionsOf(const RaceVariant &variant) {
  CompileOptions options;
  const kernels::StateProblem problem =
      problemOf(variant.path, {"", 1, variant.heads});
  for (const std::string &define : kernels::variantOf(problem).defines) {
    const std::size_t equals = define.find('=');
    options.defines[define.substr(0, equals)] = define.substr(equals + 1);
  }
  if (variant.structure == "plain")
    for (const LeverText &lever : allLevers())
      options.levers.disable(lever.lever);
  // The fence before a staged store orders the release of h as well: without
  // it more than the release would go wrong.
  options.levers.disable(Lever::StagedStore);
  options.checkMachineCode = !variant.isDefect();
  options.warFence = variant.isDefect()
                         ? WarFence::Proxy
                         : parseWarFence(variant.release).value();
  return options;
}

/// What the compiler said, in one line.
static std::string messages(Compilation &compilation) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  compilation.diagnostics().print(stream);
  std::ranges::replace(text, '\n', ' ');
  return text.empty() ? "it does not compile" : text;
}

/// Puts the defect in; says why not where it cannot.
static bool mutate(Compilation &compilation, RaceVariant &variant) {
  auto kernel = *compilation.module().getOps<tile::KernelOp>().begin();
  const ReleaseFences found = findReleaseFences(kernel);
  if (found.fences.empty()) {
    variant.problem = "no generic reads before a release: nothing to mutate";
    return false;
  }
  variant.rings = found.rings;
  replaceFences(kernel, found, *parseSubstitute(variant.release));
  return true;
}

std::unique_ptr<Compilation> lowerVariant(const std::string &source,
                                          RaceVariant &variant) {
  auto compilation = std::make_unique<Compilation>(optionsOf(variant));
  if (compilation->readFile(source) != Status::Ok ||
      compilation->print(Level::SM, llvm::nulls()) != Status::Ok) {
    variant.problem = messages(*compilation);
    return nullptr;
  }
  if (variant.isDefect() && !mutate(*compilation, variant))
    return nullptr;
  return compilation;
}

static std::string fileName(const RaceVariant &variant) {
  std::string name = variant.path + "_h" + std::to_string(variant.heads) + "_" +
                     variant.structure + "_" + variant.release;
  std::ranges::replace(name, ' ', '_');
  std::ranges::replace(name, '.', '_');
  return name;
}

void makeVariant(const std::string &source, const std::string &folder,
                 RaceVariant &variant) {
  std::unique_ptr<Compilation> compilation = lowerVariant(source, variant);
  if (!compilation)
    return;
  if (compilation->compile() != Status::Ok) {
    variant.problem = messages(*compilation);
    return;
  }
  const CompiledKernel &kernel = compilation->kernels().front();
  const std::string name = fileName(variant);
  kernels::writeWholeFile(folder + "/" + name + ".cubin", kernel.cubin);
  kernels::writeWholeFile(folder + "/" + name + ".json", kernel.metadata);
  variant.file = name + ".cubin";
}

} // namespace tlc::test
