// T.serial, T.unroll, T.Parallel, T.Pipelined: what a `for` runs over.
#include "compiler/frontend/builtins/Handlers.h"

namespace tlc::frontend::builtins {

static bool isInteger(const Value &value) {
  return value.isIntLike() || value.is(Kind::Symbolic) ||
         (value.is(Kind::Scalar) && (value.as<ScalarObject>().dtype.isInt()));
}

/// Fills the bounds; false after an error.
static bool bounds(CallArgs &args, LoopObject &loop, bool hasStep) {
  loop.start = Value::ofInt(0);
  loop.stop = args.value("start");
  if (args.has("stop") && !args.value("stop").isNone()) {
    loop.start = loop.stop;
    loop.stop = args.value("stop");
  }
  loop.step = hasStep ? args.value("step", Value::ofInt(1)) : Value::ofInt(1);
  if (loop.step.isNone())
    loop.step = Value::ofInt(1);
  for (const Value *value : {&loop.start, &loop.stop, &loop.step})
    if (!isInteger(*value)) {
      args.e.typeError(args.range, "a bound of " + args.name(), "an integer",
                       *value);
      return false;
    }
  return true;
}

Value serialLoop(CallArgs &args) {
  LoopObject loop;
  return bounds(args, loop, true) ? Value::make(Kind::Loop, std::move(loop))
                                  : Value::poison();
}

Value unrollLoop(CallArgs &args) {
  LoopObject loop;
  loop.kind = LoopKind::Unroll;
  auto isExplicit = args.boolean("explicit", false);
  Value factor = args.value("unroll_factor");
  if (!bounds(args, loop, true) || !isExplicit || factor.isPoison())
    return Value::poison();
  if (!factor.isNone()) {
    auto n = args.integer("unroll_factor", 0);
    if (!n)
      return Value::poison();
    if (*n <= 0 || *isExplicit) {
      args.e.error(Diag::InvalidValue, args.rangeOf("unroll_factor"))
          << "unroll_factor"
          << (*isExplicit ? std::string("it excludes explicit=True")
                          : std::to_string(*n));
      return Value::poison();
    }
    args.e.diags.report(Diag::HintDropped, args.rangeOf("unroll_factor"))
        << "'unroll_factor' of " + args.name();
  }
  return Value::make(Kind::Loop, std::move(loop));
}

/// A nest of one loop for each positional argument.
static Value nestLoop(CallArgs &args, LoopKind kind, const char *what) {
  LoopObject loop;
  loop.kind = kind;
  for (unsigned i = 0; i < args.rest.size(); ++i) {
    Value extent = args.restValue(i);
    if (!isInteger(extent))
      return args.e.typeError(args.rest[i].range, what, "an integer", extent);
    loop.extents.push_back(extent);
  }
  if (loop.extents.empty()) {
    args.e.error(Diag::MissingArgument, args.range) << args.name() << "extent";
    return Value::poison();
  }
  return Value::make(Kind::Loop, std::move(loop));
}

Value parallelLoop(CallArgs &args) {
  return nestLoop(args, LoopKind::Parallel, "an extent of T.Parallel");
}

Value gridLoop(CallArgs &args) {
  return nestLoop(args, LoopKind::Grid, "an extent of T.grid");
}

/// start: the index of this worker, stop: the workers, step: the group size.
Value persistentLoop(CallArgs &args) {
  LoopObject loop;
  loop.kind = LoopKind::Persistent;
  Value domain = args.value("domain");
  loop.stop = args.value("wave_size");
  loop.start = args.value("index");
  loop.step = args.value("group_size", Value::ofInt(8));
  if (!domain.isSequence() || domain.items().empty())
    return args.e.typeError(args.rangeOf("domain"), "the domain",
                            "a list of extents", domain);
  loop.extents = domain.items();
  std::vector<Value> all = loop.extents;
  all.insert(all.end(), {loop.start, loop.stop, loop.step});
  for (const Value &value : all)
    if (!isInteger(value))
      return args.e.typeError(args.range, "an argument of T.Persistent",
                              "an integer", value);
  return Value::make(Kind::Loop, std::move(loop));
}

Value pipelinedLoop(CallArgs &args) {
  LoopObject loop;
  loop.kind = LoopKind::Pipelined;
  auto stages = args.integer("num_stages", 0);
  if (!bounds(args, loop, false) || !stages)
    return Value::poison();
  if (*stages < 0) {
    args.e.error(Diag::InvalidValue, args.rangeOf("num_stages"))
        << "num_stages" << *stages;
    return Value::poison();
  }
  loop.stages = *stages;
  return Value::make(Kind::Loop, std::move(loop));
}

} // namespace tlc::frontend::builtins
