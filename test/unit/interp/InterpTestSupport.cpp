#include "test/unit/interp/InterpTestSupport.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
namespace tile = tlc::tile;

static std::string withSpaces(std::string text) {
  for (std::string space : {"global", "shared", "fragment", "local"}) {
    std::string key = "$" + space, attr = "#tile.space<" + space + ">";
    for (size_t at; (at = text.find(key)) != std::string::npos;)
      text.replace(at, key.size(), attr);
  }
  return text;
}

tlc::test::Outcome
tlc::test::runKernel(const std::string &text,
                     const std::vector<interp::ArgValue> &args,
                     const interp::InterpOptions &options) {
  Outcome outcome;
  MLIRContext context;
  context.loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect,
                      scf::SCFDialect, memref::MemRefDialect>();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      outcome.errors += diagnostic.str() + "\n";
    return success();
  });
  ParserConfig config(&context);
  auto module = parseSourceString<ModuleOp>(withSpaces(text), config);
  if (!module)
    return outcome;
  auto kernel = *module->getOps<tile::KernelOp>().begin();
  outcome.ok = succeeded(interp::interpret(kernel, args, options));
  return outcome;
}

std::string tlc::test::oneBlock(const std::vector<std::string> &types,
                                const std::string &body, int threads) {
  std::string names, shapes, params;
  for (size_t i = 0; i < types.size(); ++i) {
    std::string comma = i ? ", " : "";
    std::string name(1, static_cast<char>('A' + i));
    names += comma + "\"" + name + "\"";
    params += comma + "%" + name + ": " + types[i];
    std::string dims;
    if (types[i].rfind("memref<", 0) == 0) {
      std::string inner = types[i].substr(7);
      for (size_t x;
           (x = inner.find('x')) != std::string::npos && isdigit(inner[0]);) {
        dims += (dims.empty() ? "" : ", ") + inner.substr(0, x);
        inner = inner.substr(x + 1);
      }
    }
    shapes += comma + "affine_map<() -> (" + dims + ")>";
  }
  return "tile.kernel @k params [" + names + "] shapes [" + shapes +
         "] symbols [] {\n^bb0(" + params +
         "):\n  %one = arith.constant 1 : i32\n"
         "  tile.launch grid(%one) threads [" +
         std::to_string(threads) +
         ", 1, 1] {\n  ^bb0(%bx: i32):\n"
         "  %c0 = arith.constant 0 : i32\n" +
         body + "\n  }\n}\n";
}
