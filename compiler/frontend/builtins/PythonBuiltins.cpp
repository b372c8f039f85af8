// Python's builtin functions, on compile-time values.
#include "compiler/frontend/builtins/Handlers.h"

#include <cmath>

namespace tlc::frontend::builtins {

static Value notCompileTime(CallArgs &args, const llvm::Twine &advice) {
  args.e.error(Diag::NotCompileTime, args.range).help(advice)
      << "the argument of " + args.name();
  return Value::poison();
}

Value pythonRange(CallArgs &args) {
  RangeObject range;
  range.start = Value::ofInt(0);
  range.stop = args.value("start");
  if (args.has("stop")) {
    range.start = range.stop;
    range.stop = args.value("stop");
  }
  range.step = args.value("step", Value::ofInt(1));
  for (const Value *value : {&range.start, &range.stop, &range.step}) {
    bool good =
        value->isIntLike() || value->is(Kind::Symbolic) ||
        (value->is(Kind::Scalar) && value->as<ScalarObject>().dtype.isInt());
    if (!good)
      return args.e.typeError(args.range, "a bound of range", "an integer",
                              *value);
  }
  if (range.step.isIntLike() && range.step.asInt() == 0) {
    args.e.error(Diag::InvalidValue, args.range) << "step" << "it is 0";
    return Value::poison();
  }
  return Value::make(Kind::Range, std::move(range));
}

Value pythonLen(CallArgs &args) {
  Value value = args.value("value");
  if (value.is(Kind::String))
    return Value::ofInt(value.text().size());
  if (value.is(Kind::Buffer))
    return args.e.typeError(args.range, "the argument of len",
                            "a list, tuple, dict or string", value);
  auto items = args.e.iterate(value, args.range);
  return items ? Value::ofInt(items->size()) : Value::poison();
}

Value pythonMinMax(CallArgs &args) {
  std::vector<Value> items;
  for (unsigned i = 0; i < args.rest.size(); ++i)
    items.push_back(args.restValue(i));
  if (items.size() == 1 && !items[0].isNumber() && !items[0].isRuntime()) {
    auto list = args.e.iterate(items[0], args.range);
    if (!list)
      return Value::poison();
    items = *list;
  }
  if (items.empty()) {
    args.e.error(Diag::InvalidValue, args.range) << "argument" << "it is empty";
    return Value::poison();
  }
  bool isMax = args.builtin.name == "max";
  Value best = items[0];
  for (const Value &item : items) {
    if (item.isPoison() || best.isPoison())
      return Value::poison();
    if (item.isRuntime())
      return notCompileTime(args, "write T." + args.builtin.name + "(a, b)");
    Value better = args.e.compare(isMax ? ast::CompareOperator::Gt
                                        : ast::CompareOperator::Lt,
                                  item, best, args.range);
    if (!better.is(Kind::Bool))
      return Value::poison();
    if (better.boolean)
      best = item;
  }
  return best;
}

Value pythonSum(CallArgs &args) {
  auto items = args.e.iterate(args.value("values"), args.range);
  Value sum = args.value("start", Value::ofInt(0));
  if (!items)
    return Value::poison();
  for (const Value &item : *items)
    sum = args.e.binary(ast::BinaryOperator::Add, sum, item, args.range);
  return sum;
}

Value pythonInt(CallArgs &args) {
  Value value = args.value("value", Value::ofInt(0));
  if (value.isIntLike())
    return Value::ofInt(value.asInt());
  if (value.isRuntime())
    return value.is(Kind::Symbolic)
               ? value
               : notCompileTime(args, "write T.cast(x, \"int32\")");
  if (value.is(Kind::Float) && std::abs(value.number) < 9.0e18)
    return Value::ofInt(static_cast<int64_t>(value.number));
  int64_t parsed;
  if (value.is(Kind::String) &&
      !llvm::StringRef(value.text()).trim().getAsInteger(10, parsed))
    return Value::ofInt(parsed);
  return args.e.typeError(args.range, "the argument of int", "a number", value);
}

Value pythonFloat(CallArgs &args) {
  Value value = args.value("value", Value::ofInt(0));
  if (value.isNumber())
    return Value::ofFloat(value.asDouble());
  if (value.isRuntime())
    return notCompileTime(args, "write T.cast(x, \"float32\")");
  if (value.is(Kind::String)) {
    llvm::StringRef text = llvm::StringRef(value.text()).trim();
    bool negative = text.consume_front("-");
    double parsed;
    if (text.equals_insensitive("inf") || text.equals_insensitive("infinity"))
      return Value::ofFloat(negative ? -INFINITY : INFINITY);
    if (text.equals_insensitive("nan"))
      return Value::ofFloat(NAN);
    if (!text.getAsDouble(parsed))
      return Value::ofFloat(negative ? -parsed : parsed);
  }
  return args.e.typeError(args.range, "the argument of float", "a number",
                          value);
}

Value pythonBool(CallArgs &args) {
  Value value = args.value("value", Value::ofBool(false));
  if (auto t = truth(value))
    return Value::ofBool(*t);
  return value.isPoison() ? value : notCompileTime(args, "compare it: x != 0");
}

Value pythonStr(CallArgs &args) {
  Value value = args.value("value", Value::ofString(""));
  return value.isPoison() ? value : Value::ofString(args.e.text(value));
}

Value pythonRound(CallArgs &args) {
  Value value = args.value("value");
  auto digits = args.integer("digits", 0);
  if (!digits)
    return Value::poison();
  if (value.isIntLike())
    return Value::ofInt(value.asInt());
  if (!value.is(Kind::Float))
    return args.e.typeError(args.range, "the argument of round", "a number",
                            value);
  if (!args.has("digits")) {
    if (!(std::abs(value.number) < 9.0e18))
      return args.e.typeError(args.range, "the argument of round",
                              "a finite number", value);
    return Value::ofInt(static_cast<int64_t>(std::nearbyint(value.number)));
  }
  double scale = std::pow(10.0, static_cast<double>(*digits));
  return Value::ofFloat(std::nearbyint(value.number * scale) / scale);
}

Value pythonPow(CallArgs &args) {
  Value a = args.value("a"), b = args.value("b");
  return args.e.binary(ast::BinaryOperator::Pow, a, b, args.range);
}

Value pythonDivmod(CallArgs &args) {
  Value a = args.value("a"), b = args.value("b");
  Value quotient =
      args.e.binary(ast::BinaryOperator::FloorDiv, a, b, args.range);
  if (quotient.isPoison())
    return quotient;
  return Value::ofTuple(
      {quotient, args.e.binary(ast::BinaryOperator::Mod, a, b, args.range)});
}

static bool isInstance(const Value &value, const Value &type) {
  if (!type.is(Kind::Builtin))
    return false;
  llvm::StringRef name = type.builtin->name;
  return (name == "int" && value.isIntLike()) ||
         (name == "bool" && value.is(Kind::Bool)) ||
         (name == "float" && value.is(Kind::Float)) ||
         (name == "str" && value.is(Kind::String)) ||
         (name == "list" && value.is(Kind::List)) ||
         (name == "tuple" && value.is(Kind::Tuple)) ||
         (name == "dict" && value.is(Kind::Dict));
}

Value pythonIsinstance(CallArgs &args) {
  Value value = args.value("value"), types = args.value("types");
  if (value.isPoison() || types.isPoison())
    return Value::poison();
  if (!types.is(Kind::Tuple))
    return Value::ofBool(isInstance(value, types));
  return Value::ofBool(llvm::any_of(
      types.items(), [&](const Value &t) { return isInstance(value, t); }));
}

Value pythonEnumerate(CallArgs &args) {
  auto items = args.e.iterate(args.value("values"), args.range);
  auto start = args.integer("start", 0);
  if (!items || !start)
    return Value::poison();
  std::vector<Value> pairs;
  for (auto [i, item] : llvm::enumerate(*items))
    pairs.push_back(Value::ofTuple({Value::ofInt(*start + i), item}));
  return Value::ofList(pairs);
}

Value pythonZip(CallArgs &args) {
  std::vector<std::vector<Value>> lists;
  size_t shortest = SIZE_MAX;
  for (unsigned i = 0; i < args.rest.size(); ++i) {
    auto items = args.e.iterate(args.restValue(i), args.rest[i].range);
    if (!items)
      return Value::poison();
    shortest = std::min(shortest, items->size());
    lists.push_back(*items);
  }
  std::vector<Value> tuples;
  for (size_t i = 0; !lists.empty() && i < shortest; ++i) {
    std::vector<Value> tuple;
    for (auto &list : lists)
      tuple.push_back(list[i]);
    tuples.push_back(Value::ofTuple(tuple));
  }
  return Value::ofList(tuples);
}

Value pythonList(CallArgs &args) {
  std::vector<Value> items;
  if (args.has("values")) {
    auto given = args.e.iterate(args.value("values"), args.range);
    if (!given)
      return Value::poison();
    items = *given;
  }
  return args.builtin.name == "list" ? Value::ofList(items)
                                     : Value::ofTuple(items);
}

Value pythonDict(CallArgs &args) {
  DictObject dict;
  if (args.has("values")) {
    Value value = args.value("values");
    if (!value.is(Kind::Dict))
      return args.e.typeError(args.range, "the argument of dict", "a dict",
                              value);
    dict = value.as<DictObject>();
  }
  return Value::make(Kind::Dict, std::move(dict));
}

Value pythonSorted(CallArgs &args) {
  auto items = args.e.iterate(args.value("values"), args.range);
  if (!items)
    return Value::poison();
  if (args.builtin.name == "reversed") {
    std::reverse(items->begin(), items->end());
    return Value::ofList(*items);
  }
  auto reverse = args.boolean("reverse", false);
  if (!reverse)
    return Value::poison();
  // Insertion sort: stable, and stops at the first pair without an order.
  for (size_t i = 1; i < items->size(); ++i)
    for (size_t j = i; j > 0; --j) {
      Value less = args.e.compare(*reverse ? ast::CompareOperator::Gt
                                           : ast::CompareOperator::Lt,
                                  (*items)[j], (*items)[j - 1], args.range);
      if (!less.is(Kind::Bool) || !args.e.step(args.range))
        return Value::poison();
      if (!less.boolean)
        break;
      std::swap((*items)[j], (*items)[j - 1]);
    }
  return Value::ofList(*items);
}

Value pythonAnyAll(CallArgs &args) {
  auto items = args.e.iterate(args.value("values"), args.range);
  if (!items)
    return Value::poison();
  bool isAny = args.builtin.name == "any";
  for (const Value &item : *items) {
    auto t = truth(item);
    if (!t)
      return item.isPoison() ? item
                             : notCompileTime(args, "write 'and' or 'or'");
    if (*t == isAny)
      return Value::ofBool(isAny);
  }
  return Value::ofBool(!isAny);
}

Value pythonPrint(CallArgs &args) {
  std::string text;
  for (unsigned i = 0; i < args.rest.size(); ++i)
    text += (i ? " " : "") + args.e.text(args.restValue(i));
  args.e.diags.report(Diag::Printed, args.range) << text;
  return Value::none();
}

} // namespace tlc::frontend::builtins
