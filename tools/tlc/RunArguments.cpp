#include "tools/tlc/RunArguments.h"

#include "runtime/core/Npy.h"
#include "tlc/Error.h"

#include "llvm/ADT/StringExtras.h"

namespace tlc::cli {

using rt::Expr;
using rt::ExprOp;
using rt::HostTensor;
using Sizes = std::map<std::string, std::int64_t>;

Argument RunArgument::argument() {
  if (tensor)
    return Argument(tensor->view());
  return integer ? Argument(*integer) : Argument(*real);
}

namespace {
/// The making of one list of arguments. Methods return false after a report.
class ArgumentMaker {
public:
  ArgumentMaker(const rt::LaunchMetadata &metadata, const RunRequest &request,
                DiagnosticEngine &diags)
      : metadata(metadata), request(request), diags(diags) {}

  std::optional<RunArguments> run();

private:
  bool checkNames();
  bool readSets();
  bool readFiles();
  bool makeTensor(RunArgument &argument, unsigned position);
  bool makeScalar(RunArgument &argument);
  bool fill(RunArgument &argument, const std::string &how, unsigned position);
  bool shapeOf(const rt::ParamInfo &param, Dims &shape);
  bool solve(const rt::ParamInfo &param, const Expr &extent,
             std::int64_t actual);
  bool bind();
  bool fail(const std::string &text) {
    diags.report(Diag::InvalidArgument) << text;
    return false;
  }

  const rt::LaunchMetadata &metadata;
  const RunRequest &request;
  DiagnosticEngine &diags;
  Sizes sizes; ///< of --set and of files
  RunArguments result;
};
} // namespace

/// Every name of the command line is a parameter or size.
bool ArgumentMaker::checkNames() {
  std::vector<llvm::StringRef> tensors, numbers;
  for (const rt::ParamInfo &param : metadata.params)
    (param.kind == rt::ParamKind::Tensor ? tensors : numbers)
        .push_back(param.name);
  std::vector<llvm::StringRef> args = tensors;
  args.insert(args.end(), numbers.begin(), numbers.end());
  for (const std::string &symbol : metadata.symbols)
    numbers.push_back(symbol);

  auto check = [&](const char *flag, const auto &given,
                   const std::vector<llvm::StringRef> &known) {
    for (const auto &entry : given) {
      if (llvm::is_contained(known, entry.first))
        continue;
      std::string text = std::string(flag) + " " + entry.first + ": kernel '" +
                         metadata.name + "' has no such ";
      text += flag == std::string("--set") ? "size or scalar" : "parameter";
      if (!known.empty())
        text += "; it has " + llvm::join(known, ", ");
      auto builder = diags.report(Diag::InvalidArgument);
      builder.suggest(entry.first, known);
      builder << text;
      return false;
    }
    return true;
  };
  return check("--arg", request.args, args) &&
         check("--set", request.sets, numbers) &&
         check("--out", request.outs, tensors);
}

bool ArgumentMaker::readSets() {
  for (const auto &[name, text] : request.sets) {
    bool isSize = llvm::is_contained(metadata.symbols, name);
    long long value = 0;
    if (!llvm::StringRef(text).getAsInteger(0, value))
      sizes[name] = value;
    else if (isSize)
      return fail("--set " + name + ": expected an integer, got '" + text +
                  "'");
    if (isSize && value < 0)
      return fail("--set " + name + ": a size is not negative, got " + text);
  }
  return true;
}

/// Takes sums and products with constants apart until one size is left.
bool ArgumentMaker::solve(const rt::ParamInfo &param, const Expr &extent,
                          std::int64_t actual) {
  if (extent.op == ExprOp::Symbol) {
    std::int64_t known = sizes.emplace(extent.symbol, actual).first->second;
    // Where files contradict each other, binding says so.
    if (known == actual || !request.sets.count(extent.symbol))
      return true;
    return fail("--set " + extent.symbol + "=" + std::to_string(known) +
                ": the file of '" + param.name + "' says " +
                std::to_string(actual));
  }
  if (extent.operands.size() != 2)
    return true;
  const Expr &lhs = extent.operands[0], &rhs = extent.operands[1];
  if (!rhs.isConstant())
    return true;
  std::int64_t c = rhs.value;
  if (extent.op == ExprOp::Add)
    return solve(param, lhs, actual - c);
  if (extent.op == ExprOp::Sub)
    return solve(param, lhs, actual + c);
  if (extent.op == ExprOp::Mul && c != 0 && actual % c == 0)
    return solve(param, lhs, actual / c);
  return true;
}

bool ArgumentMaker::readFiles() {
  for (RunArgument &argument : result.list) {
    const rt::ParamInfo &param = *argument.param;
    auto it = request.args.find(param.name);
    if (it == request.args.end() || it->second[0] != '@' ||
        param.kind != rt::ParamKind::Tensor)
      continue;
    try {
      argument.tensor = rt::readNpy(it->second.substr(1), param.dtype);
    } catch (const Error &error) {
      return fail("--arg " + param.name + ": " + error.what());
    }
    const Dims &shape = argument.tensor->shape();
    for (size_t d = 0; d < shape.size() && d < param.shape.size(); ++d)
      if (!solve(param, param.shape[d], shape[d]))
        return false;
  }
  return true;
}

bool ArgumentMaker::shapeOf(const rt::ParamInfo &param, Dims &shape) {
  std::vector<std::string> names;
  std::vector<std::int64_t> values;
  for (const auto &[name, value] : sizes) {
    names.push_back(name);
    values.push_back(value);
  }
  for (const Expr &extent : param.shape) {
    // Names without a value evaluate to what is reported below.
    std::vector<std::string> all = names;
    for (const std::string &symbol : metadata.symbols)
      if (!sizes.count(symbol))
        all.push_back(symbol);
    rt::ExprProgram program(extent, all);
    for (unsigned used : program.usedSymbols())
      if (used >= names.size()) {
        diags.report(Diag::MissingSize) << all[used] << metadata.name;
        return false;
      }
    shape.push(program.evaluate(values));
  }
  return true;
}

bool ArgumentMaker::fill(RunArgument &argument, const std::string &how,
                         unsigned position) {
  auto [kind, seedText] = llvm::StringRef(how).split(':');
  std::uint64_t seed = 0;
  bool badSeed = llvm::StringRef(how).contains(':') &&
                 (kind != "random" || seedText.getAsInteger(10, seed));
  HostTensor &tensor = *argument.tensor;
  if (!badSeed && kind == "random")
    rt::fillRandom(tensor, seed * 1000003 + position);
  else if (!badSeed && kind == "zeros")
    rt::fillZeros(tensor);
  else if (!badSeed && kind == "iota")
    rt::fillIota(tensor);
  else if (!badSeed && kind == "ones")
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
      tensor.set(i, 1);
  else
    return fail("--arg " + argument.param->name +
                ": expected random[:SEED], zeros, ones, iota or @FILE.npy, "
                "got '" +
                how + "'");
  return true;
}

bool ArgumentMaker::makeTensor(RunArgument &argument, unsigned position) {
  if (argument.tensor)
    return true;
  const rt::ParamInfo &param = *argument.param;
  Dims shape;
  if (!shapeOf(param, shape))
    return false;
  argument.tensor.emplace(param.dtype, shape);
  auto it = request.args.find(param.name);
  std::string how = it != request.args.end()            ? it->second
                    : param.access == rt::Access::Write ? "zeros"
                                                        : "random";
  return fill(argument, how, position);
}

bool ArgumentMaker::makeScalar(RunArgument &argument) {
  const std::string &name = argument.param->name;
  std::string text;
  for (const auto *given : {&request.sets, &request.args})
    if (auto it = given->find(name); it != given->end())
      text = it->second;
  if (text.empty())
    return fail("the scalar parameter '" + name + "' of kernel '" +
                metadata.name + "' has no value: give it with --set " + name +
                "=<value>");
  long long integer = 0;
  double real = 0;
  if (text == "true" || text == "True" || text == "false" || text == "False")
    argument.integer = text[0] == 't' || text[0] == 'T';
  else if (!llvm::StringRef(text).getAsInteger(0, integer))
    argument.integer = integer;
  else if (!llvm::StringRef(text).getAsDouble(real))
    argument.real = real;
  else
    return fail("--set " + name + ": expected a number, got '" + text + "'");
  if (argument.integer)
    sizes.emplace(name, *argument.integer);
  return true;
}

/// The checks and words of a launch.
bool ArgumentMaker::bind() {
  std::vector<Argument> arguments;
  for (RunArgument &argument : result.list)
    arguments.push_back(argument.argument());
  rt::BoundArguments bound;
  rt::Binder(metadata).bind(arguments, bound, DeviceKind::Host);
  bound.symbols.resize(metadata.symbols.size());
  result.symbols = bound.symbols;
  // A size that only --set gave must be the one that the shapes have.
  for (size_t i = 0; i < metadata.symbols.size(); ++i)
    if (auto it = sizes.find(metadata.symbols[i]);
        it != sizes.end() && it->second != bound.symbols[i])
      return fail("--set " + it->first + "=" + std::to_string(it->second) +
                  ": the tensors say " + std::to_string(bound.symbols[i]));
  return true;
}

std::optional<RunArguments> ArgumentMaker::run() {
  try {
    for (const rt::ParamInfo &param : metadata.params) {
      RunArgument argument;
      argument.param = &param;
      result.list.push_back(std::move(argument));
    }
    if (!checkNames() || !readSets() || !readFiles())
      return std::nullopt;
    for (RunArgument &argument : result.list)
      if (argument.param->kind != rt::ParamKind::Tensor &&
          !makeScalar(argument))
        return std::nullopt;
    for (size_t i = 0; i < result.list.size(); ++i)
      if (result.list[i].param->kind == rt::ParamKind::Tensor &&
          !makeTensor(result.list[i], static_cast<unsigned>(i)))
        return std::nullopt;
    if (!bind())
      return std::nullopt;
    return std::move(result);
  } catch (const Error &error) {
    fail(error.what());
    return std::nullopt;
  }
}

std::optional<RunArguments> makeArguments(const rt::LaunchMetadata &metadata,
                                          const RunRequest &request,
                                          DiagnosticEngine &diags) {
  return ArgumentMaker(metadata, request, diags).run();
}

} // namespace tlc::cli
