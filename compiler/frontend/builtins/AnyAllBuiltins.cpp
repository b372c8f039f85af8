// T.any_of and T.all_of: every thread looks at all elements.
#include "compiler/frontend/builtins/Handlers.h"

namespace tlc::frontend::builtins {

Value anyAllOf(CallArgs &args) {
  Elaborator &e = args.e;
  auto tile = tileOperand(args, "buffer");
  if (!tile || !e.requireLaunch(args.range, args.name()))
    return Value::poison();
  Dtype type = tile->buffer->dtype;
  if (!type.isBool() && !type.isInt())
    return e.typeError(tile->range, "the argument of " + args.name(),
                       "a bool or integer buffer",
                       Value::ofObject(Kind::Buffer, tile->buffer));
  for (int64_t size : llvm::ArrayRef(tile->sizes).drop_back())
    if (size != 1 && !tile->isWhole) {
      e.error(Diag::InvalidValue, tile->range)
          << "region" << "only its last dimension may have several elements";
      return Value::poison();
    }
  bool isAny = args.builtin.name == "any_of";
  Value result = e.allocate(isAny ? "any" : "all", {1}, DtypeKind::Bool,
                            tile::Space::Local, args.range);
  auto &flag = result.as<BufferObject>();
  flag.isVar = true;
  e.store(flag, Value::ofInt(0), Value::ofBool(!isAny), args.range);
  auto level = [&](auto &self, size_t dim, std::vector<Value> at) -> void {
    if (dim == tile->sizes.size()) {
      Value element = e.cast(e.load(*tile->buffer, at, args.range),
                             DtypeKind::Bool, args.range);
      e.store(flag, Value::ofInt(0),
              e.binary(isAny ? ast::BinaryOperator::BitOr
                             : ast::BinaryOperator::BitAnd,
                       e.loadVar(flag, args.range), element, args.range),
              args.range);
      return;
    }
    e.emitFor(Value::ofInt(tile->sizes[dim]), "e", args.range,
              [&](const Value &index) {
                std::vector<Value> next = at;
                next.push_back(e.binary(ast::BinaryOperator::Add,
                                        tile->offsets[dim], index, args.range));
                self(self, dim + 1, std::move(next));
              });
  };
  level(level, 0, {});
  return e.loadVar(flag, args.range);
}

} // namespace tlc::frontend::builtins
