// Linear forms, atoms and the enumeration of choices.
#include "compiler/verify/Values.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

/// Truth values of a run that are tried both ways; later ones follow a pattern.
constexpr unsigned kBranchingGuards = 6;
/// Unknown integers of a run that take several values.
constexpr unsigned kBranchingIntegers = 2;
/// Largest value of unknown integers after the first one, and of all of them
/// where truth values are tried both ways.
constexpr int64_t kSmallRange = 4;

Linear &Linear::add(const Linear &other, int64_t factor) {
  constant += factor * other.constant;
  for (const auto &[atom, coefficient] : other.terms) {
    int64_t &mine = terms[atom];
    mine += factor * coefficient;
    if (mine == 0)
      terms.erase(atom);
  }
  return *this;
}

void Choices::reset(GuardPattern newPattern) {
  pattern = newPattern;
  path.clear();
  restart();
}

void Choices::restart() {
  position = numIntegers = numGuards = 0;
  current.clear();
  used.clear();
  doubtful = false;
}

bool Choices::next() {
  while (!path.empty() &&
         path.back().index + 1 == path.back().candidates.size())
    path.pop_back();
  if (path.empty())
    return false;
  ++path.back().index;
  restart();
  return true;
}

std::vector<int64_t> Choices::candidatesFor(bool truth, bool minor) {
  if (!truth) {
    unsigned index = numIntegers++;
    if (index >= kBranchingIntegers)
      return {1 + index % 2};
    bool whole = index == 0 && pattern != GuardPattern::Branch;
    int64_t last = whole ? range : kSmallRange;
    std::vector<int64_t> values;
    for (int64_t value = last; value >= -1; --value)
      values.push_back(value);
    return values;
  }
  unsigned index = numGuards++;
  if (minor)
    return {(index + numIntegers) % 2};
  metGuards = true;
  switch (pattern) {
  case GuardPattern::True:
    return {1};
  case GuardPattern::False:
    return {0};
  case GuardPattern::Alternate:
    return {index % 2};
  case GuardPattern::Branch:
    break;
  }
  if (index < kBranchingGuards)
    return {0, 1};
  return {index % 2};
}

int64_t Choices::choose(const std::string &key, bool truth, bool minor,
                        const Sources &sources) {
  auto [it, isNew] = current.try_emplace(key, 0);
  if (!isNew)
    return it->second;
  doubtful |= !minor && sources.contains(nullptr);
  if (!truth)
    for (const void *source : sources)
      doubtful |= !used.insert(source).second;
  std::vector<int64_t> candidates = candidatesFor(truth, minor);
  if (position == path.size())
    path.push_back({std::move(candidates), 0});
  const Point &point = path[position++];
  it->second = point.candidates[point.index];
  return it->second;
}

unsigned AtomTable::get(const std::string &key, bool truth,
                        const Sources &sources) {
  auto [it, isNew] = ids.try_emplace(key, atoms.size());
  if (isNew)
    atoms.push_back({truth, sources});
  return it->second;
}

Linear Evaluator::makeAtom(const std::string &key, bool truth,
                           const Sources &sources) {
  Linear linear;
  linear.terms[atoms->get(key, truth, sources)] = 1;
  return linear;
}

int64_t Evaluator::number(const Linear &linear, bool minor) {
  if (linear.isConstant())
    return linear.constant;
  int64_t divisor = 0;
  for (const auto &[atom, coefficient] : linear.terms)
    divisor = std::gcd(divisor, coefficient);
  if (linear.terms.begin()->second < 0)
    divisor = -divisor;
  std::string key;
  Sources sources;
  for (const auto &[atom, coefficient] : linear.terms) {
    const Sources &own = atoms->sourcesOf(atom);
    sources.insert(own.begin(), own.end());
    key += std::to_string(atom) + "*" + std::to_string(coefficient / divisor) +
           " ";
  }
  bool truth =
      linear.terms.size() == 1 && atoms->isTruth(linear.terms.begin()->first);
  return linear.constant +
         divisor * choices->choose(key, truth, minor, sources);
}

Linear Evaluator::evaluate(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  if (Operation *op = value.getDefiningOp())
    return evaluateOp(op, value);
  const void *input = value.getAsOpaquePointer();
  return makeAtom("value " + std::to_string(reinterpret_cast<uintptr_t>(input)),
                  value.getType().isInteger(1), {input});
}

static Linear makeConstant(int64_t value) {
  Linear linear;
  linear.constant = value;
  return linear;
}

static bool compare(arith::CmpIPredicate predicate, int64_t difference) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return difference == 0;
  case P::ne:
    return difference != 0;
  case P::slt:
  case P::ult:
    return difference < 0;
  case P::sle:
  case P::ule:
    return difference <= 0;
  case P::sgt:
  case P::ugt:
    return difference > 0;
  case P::sge:
  case P::uge:
    return difference >= 0;
  }
  return false;
}

/// Integer arithmetic on two numbers, if the op is one of these.
static std::optional<int64_t> fold(Operation *op, int64_t a, int64_t b) {
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](arith::MulIOp) { return a * b; })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::ShLIOp) { return a << (b & 31); })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](auto) { return a >> (b & 31); })
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](auto) -> std::optional<int64_t> {
            if (b == 0)
              return std::nullopt;
            return a / b;
          })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) -> std::optional<int64_t> {
            if (b == 0)
              return std::nullopt;
            return a % b;
          })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Linear> Evaluator::evaluateArith(Operation *op) {
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp>(
          op))
    return evaluate(op->getOperand(0));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return number(select.getCondition()) != 0
               ? evaluate(select.getTrueValue())
               : evaluate(select.getFalseValue());
  if (!op->getOperands().empty() && !op->getOperand(0).getType().isIntOrIndex())
    return std::nullopt;
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  Linear a = evaluate(op->getOperand(0)), b = evaluate(op->getOperand(1));
  if (isa<arith::AddIOp>(op))
    return a.add(b);
  if (isa<arith::SubIOp>(op))
    return a.add(b, -1);
  bool isMin = isa<arith::MinSIOp, arith::MinUIOp>(op);
  if (isMin || isa<arith::MaxSIOp, arith::MaxUIOp>(op)) {
    bool less = number(Linear(a).add(b, -1)) < 0;
    return less == isMin ? a : b;
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    if (a.isConstant() || b.isConstant() ||
        !cmp.getLhs().getType().isInteger(1))
      return makeConstant(
          compare(cmp.getPredicate(), number(Linear(a).add(b, -1))));
  if (isa<arith::MulIOp>(op) && (a.isConstant() || b.isConstant())) {
    int64_t factor = a.isConstant() ? a.constant : b.constant;
    if (factor == 0)
      return makeConstant(0);
    return Linear().add(a.isConstant() ? b : a, factor);
  }
  // Truth values combine as numbers, others only if they are known.
  if (op->getResult(0).getType().isInteger(1) ||
      (a.isConstant() && b.isConstant()))
    if (auto folded = fold(op, number(a), number(b)))
      return makeConstant(op->getResult(0).getType().isInteger(1) ? *folded & 1
                                                                  : *folded);
  return std::nullopt;
}

Linear Evaluator::evaluateOp(Operation *op, Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return makeConstant(value.getType().isInteger(1)
                            ? static_cast<int64_t>(constant.getZExtValue())
                            : constant.getSExtValue());
  if (isa_and_nonnull<arith::ArithDialect>(op->getDialect()))
    if (auto linear = evaluateArith(op))
      return *linear;
  // Anything else: equal ops on equal operands have equal results.
  std::string key = op->getName().getStringRef().str();
  llvm::raw_string_ostream os(key);
  os << op->getAttrDictionary().getAsOpaquePointer();
  Sources sources;
  for (Value operand : op->getOperands()) {
    if (!operand.getType().isIntOrIndexOrFloat()) {
      os << " " << operand.getAsOpaquePointer();
      sources.insert(operand.getAsOpaquePointer());
      continue;
    }
    Linear linear = evaluate(operand);
    os << " (" << linear.constant;
    for (const auto &[atom, coefficient] : linear.terms) {
      os << "+" << coefficient << "*" << atom;
      const Sources &own = atoms->sourcesOf(atom);
      sources.insert(own.begin(), own.end());
    }
    os << ")";
  }
  return makeAtom(key, value.getType().isInteger(1), sources);
}
