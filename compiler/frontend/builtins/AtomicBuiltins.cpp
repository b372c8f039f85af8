// T.atomic_add and its kin on one element, executed by every thread that
// reaches them.
#include "compiler/frontend/builtins/Handlers.h"

namespace tlc::frontend::builtins {

using tile::AtomicKind;
using tile::MemoryOrder;

/// The order that an argument names, `missing` without one.
static std::optional<MemoryOrder> memoryOrder(CallArgs &args, AtomicKind kind,
                                              MemoryOrder missing) {
  Value order = args.value("memory_order");
  if (order.isPoison())
    return std::nullopt;
  if (order.isNone())
    return missing;
  std::optional<MemoryOrder> known;
  if (order.is(Kind::String))
    known = order.text() == "consume" // no hardware tells it from acquire
                ? MemoryOrder::Acquire
                : tile::symbolizeMemoryOrder(order.text());
  bool acquires = known == MemoryOrder::Acquire || known == MemoryOrder::AcqRel;
  bool releases = known == MemoryOrder::Release || known == MemoryOrder::AcqRel;
  llvm::StringRef expected = "relaxed, consume, acquire, release, acq_rel or "
                             "seq_cst";
  if (kind == AtomicKind::Load)
    expected = "relaxed, consume, acquire or seq_cst";
  if (kind == AtomicKind::Store)
    expected = "relaxed, release or seq_cst";
  if (known && !(kind == AtomicKind::Load && releases) &&
      !(kind == AtomicKind::Store && acquires))
    return known;
  args.e.error(Diag::InvalidValue, args.rangeOf("memory_order"))
      << "memory_order" << (toRepr(order) + ", expected " + expected).str();
  return std::nullopt;
}

/// The element that an argument names; nothing after an error.
static std::optional<TileOperand> element(CallArgs &args,
                                          llvm::StringRef param) {
  Elaborator &e = args.e;
  auto target = tileOperand(args, param);
  if (!target)
    return std::nullopt;
  if (!target->isElement) {
    e.unsupported(target->range, args.name() + " of a whole buffer or region");
    return std::nullopt;
  }
  if (target->buffer->space != tile::Space::Global &&
      target->buffer->space != tile::Space::Shared) {
    e.typeError(target->range, "'" + param + "' of " + args.name(),
                "an element of a global or shared buffer",
                Value::ofObject(Kind::Buffer, target->buffer));
    return std::nullopt;
  }
  return target;
}

/// Whether the hardware has the operation for elements of that type.
static bool checkType(CallArgs &args, AtomicKind kind,
                      const TileOperand &target) {
  Dtype type = target.buffer->dtype;
  bool ok = type.isInt() && type.bits() >= 32;
  if (kind != AtomicKind::Max && kind != AtomicKind::Min &&
      kind != AtomicKind::Or)
    ok |= type == Dtype(DtypeKind::Float16) ||
          type == Dtype(DtypeKind::BFloat16) ||
          type == Dtype(DtypeKind::Float32) ||
          type == Dtype(DtypeKind::Float64);
  ok &= target.buffer->space == tile::Space::Global || type.bits() < 64;
  if (!ok)
    args.e.unsupported(target.range,
                       args.name() + " of " + type.name() +
                           (target.buffer->space == tile::Space::Shared
                                ? " elements in shared memory"
                                : " elements"));
  return ok;
}

static Value emitAtomic(CallArgs &args, AtomicKind kind, MemoryOrder missing,
                        llvm::StringRef param, bool hasResult) {
  Elaborator &e = args.e;
  if (!e.requireLaunch(args.range, args.name()))
    return Value::poison();
  auto target = element(args, param);
  auto order = memoryOrder(args, kind, missing);
  if (!target || !order || !checkType(args, kind, *target))
    return Value::poison();
  auto indices = emitOffsets(args, *target);
  mlir::Value value;
  if (kind != AtomicKind::Load) {
    Value given = args.value("value");
    if (!given.isRuntime() && !given.isNumber())
      return e.typeError(args.rangeOf("value"), "the value of " + args.name(),
                         "a number", given);
    value = e.emit(given, target->buffer->dtype, args.rangeOf("value"));
  }
  if (!indices || (kind != AtomicKind::Load && !value))
    return Value::poison();
  Dtype dtype = target->buffer->dtype;
  bool inBounds = target->buffer->space == tile::Space::Global &&
                  e.isInBounds(*target->buffer, target->offsets);
  auto op = tile::AtomicOp::create(
      e.b, e.loc(args.range),
      hasResult ? dtype.scalarType(e.context) : mlir::Type(), kind, *order,
      target->buffer->value, *indices, value, inBounds);
  return hasResult ? e.makeScalar(op.getResult(), dtype) : Value::none();
}

Value atomicElement(CallArgs &args) {
  AtomicKind kind = *tile::symbolizeAtomicKind(
      args.builtin.name.drop_front(llvm::StringRef("atomic_").size()));
  auto returns = args.boolean("return_prev", false);
  if (!returns)
    return Value::poison();
  return emitAtomic(args, kind, MemoryOrder::Relaxed, "dst", *returns);
}

Value atomicLoad(CallArgs &args) {
  return emitAtomic(args, AtomicKind::Load, MemoryOrder::SeqCst, "src", true);
}

Value atomicStore(CallArgs &args) {
  return emitAtomic(args, AtomicKind::Store, MemoryOrder::SeqCst, "dst", false);
}

} // namespace tlc::frontend::builtins
