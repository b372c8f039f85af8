// Loops over the registers of one thread.
#include "compiler/conversion/SMToThreads/Points.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;
using analysis::Coords;
using analysis::LinearLayout;

std::optional<RegisterMap> sm::mapRegisters(
    const LinearLayout &points, const LinearLayout &fragment,
    llvm::function_ref<std::optional<Coords>(const Coords &)> coordsOf) {
  RegisterMap map(points.numRegisters(), -1);
  for (int64_t reg = 0; reg < points.numRegisters(); ++reg) {
    for (int64_t thread = 0; thread < points.numThreads(); ++thread) {
      if (!points.inRange(reg, thread))
        continue;
      std::optional<Coords> wanted = coordsOf(points.coords(reg, thread));
      if (!wanted || thread >= fragment.numThreads())
        return std::nullopt;
      if (map[reg] < 0) {
        for (analysis::Owner owner : fragment.ownerOf(*wanted))
          if (owner.thread == thread) {
            map[reg] = owner.reg;
            break;
          }
        if (map[reg] < 0)
          return std::nullopt;
      } else if (fragment.coords(map[reg], thread) != *wanted) {
        return std::nullopt;
      }
    }
    if (map[reg] < 0)
      map[reg] = 0;
  }
  return map;
}

/// ((t / div) % mod) * stride
static Value emitTerm(Arith &a, Value t, const analysis::Term &term) {
  Value v = a.div(t, term.div);
  if (term.mod)
    v = a.rem(v, term.mod);
  return a.mul(v, term.stride);
}

Points::Points(Expander &x, Location loc, const LinearLayout &layout,
               int64_t vector)
    : x(x), loc(loc), tileLayout(layout), width(vector) {
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    // A hint, not a name: the printer uses it if it needs a variable.
    bool matrix = layout.rank() == 2;
    Arith a =
        x.arith(Expander::named(loc, matrix ? dim ? "~col" : "~row" : "~at"));
    Value sum;
    for (const analysis::Term &term : layout.threadTerms(dim))
      sum = a.add(sum, emitTerm(a, x.role().thread, term));
    threadCoords.push_back(sum);
  }
  int64_t reg = 1, skip = vector;
  for (const analysis::Digit &digit : layout.registerDigits()) {
    int64_t count = digit.count;
    Coords step = digit.step;
    auto advance = [&](int64_t by) {
      reg *= by;
      for (int64_t &s : step)
        s *= by;
      count /= by;
    };
    if (skip > 1) {
      int64_t lanes = std::min(skip, count);
      advance(lanes);
      skip /= lanes;
    }
    while (count > 1) {
      int64_t part = count % 2 == 0 ? 2 : count;
      loops.push_back({part, reg, step});
      advance(part);
    }
  }
}

void Points::fuse(
    llvm::function_ref<void(const RegDigit &, SmallVectorImpl<int64_t> &)> keys,
    bool coordinates) {
  SmallVector<RegDigit> fused;
  SmallVector<int64_t> last;
  for (const RegDigit &digit : loops) {
    SmallVector<int64_t> next;
    if (coordinates)
      next.assign(digit.step.begin(), digit.step.end());
    next.push_back(digit.reg);
    keys(digit, next);
    bool continues = !fused.empty();
    for (size_t i = 0; continues && i < next.size(); ++i)
      continues = next[i] == last[i] * fused.back().count;
    if (continues) {
      fused.back().count *= digit.count;
      continue;
    }
    fused.push_back(digit);
    last = next;
  }
  loops = std::move(fused);
}

void Points::roll(Value array, const RegisterMap &map, int64_t perTurn) {
  int64_t size = cast<MemRefType>(array.getType()).getNumElements();
  auto stepOf = [&](const RegDigit &digit) { return map[digit.reg] - map[0]; };
  auto *whole = llvm::find_if(loops, [&](const RegDigit &digit) {
    return stepOf(digit) > 0 && stepOf(digit) * digit.count == size;
  });
  if (whole == loops.end())
    return;
  // What the other loops and the lanes of a vector reach is one turn's.
  int64_t by = stepOf(*whole), reach = 0;
  for (const RegDigit &digit : loops)
    if (&digit != whole)
      reach += (digit.count - 1) * stepOf(digit);
  for (int64_t lane = 0; lane < width; ++lane)
    if (map[lane] < 0 || map[lane] + reach >= by)
      return;
  RegDigit outer = *whole;
  loops.erase(whole);
  int64_t inner = std::gcd(outer.count, std::max<int64_t>(1, perTurn / by));
  if (inner > 1)
    loops.push_back({inner, outer.reg, outer.step});
  outer.count /= inner;
  outer.reg *= inner;
  for (int64_t &step : outer.step)
    step *= inner;
  loops.push_back(outer);
  rolledArray = array;
  rolledBy = by * inner;
}

Value Points::coord(unsigned dim, ValueRange ivs) const {
  Arith a = x.arith(loc);
  Value sum = threadCoords[dim];
  for (auto [digit, iv] : llvm::zip(loops, ivs))
    sum = a.add(sum, a.mul(iv, digit.step[dim]));
  return sum;
}

bool Points::moves(unsigned dim) const {
  return llvm::any_of(loops,
                      [&](const RegDigit &d) { return d.step[dim] != 0; });
}

Value Points::participates() const {
  if (tileLayout.numThreads() >= x.role().threads)
    return {};
  Arith a = x.arith(loc);
  return a.compare(arith::CmpIPredicate::slt, x.role().thread,
                   a.i32(tileLayout.numThreads()));
}

Value Points::primary() const {
  Arith a = x.arith(loc);
  Value all;
  for (analysis::Term term : tileLayout.replicaTerms()) {
    term.stride = 1;
    Value digit = emitTerm(a, x.role().thread, term);
    all = a.both(all, a.compare(arith::CmpIPredicate::eq, digit, a.i32(0)));
  }
  return all;
}

Value Points::inRange(ValueRange ivs) const {
  if (tileLayout.isExact())
    return {};
  Arith a = x.arith(loc);
  Value all;
  for (unsigned dim = 0; dim < tileLayout.rank(); ++dim)
    all = a.both(all, a.below(coord(dim, ivs), a.i32(tileLayout.shape()[dim])));
  return all;
}

void Points::emitLoops(llvm::function_ref<void(ValueRange)> body) const {
  OpBuilder &b = x.b;
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> ivs(loops.size());
  Arith a = x.arith(loc);
  static const char *const names[] = {"i", "j", "k", "l", "m", "n"};
  size_t depth = 0;
  scf::ForOp rolled;
  for (size_t i = loops.size(); i-- > 0;) {
    Location loopLoc =
        Expander::named(loc, names[std::min<size_t>(depth++, 5)]);
    auto loop = scf::ForOp::create(b, loopLoc, a.i32(0), a.i32(loops[i].count),
                                   a.i32(1));
    if (rolledArray && !rolled)
      rolled = loop;
    else
      loop->setAttr("unroll", b.getUnitAttr());
    loop.getInductionVar().setLoc(loopLoc);
    ivs[i] = loop.getInductionVar();
    b.setInsertionPointToStart(loop.getBody());
  }
  body(ivs);
  if (!rolled)
    return;
  b.setInsertionPoint(rolled.getBody()->getTerminator());
  RotateOp::create(b, loc, rolledArray, rolledBy);
}

bool Points::isLinear(const RegisterMap &map) const {
  for (auto [reg, position] : llvm::enumerate(map)) {
    int64_t sum = map[reg % width];
    for (const RegDigit &digit : loops) {
      int64_t value = static_cast<int64_t>(reg) / digit.reg % digit.count;
      sum += value * (map[digit.reg] - map[0]);
    }
    if (sum != position)
      return false;
  }
  return true;
}

Value Points::arrayIndex(const RegisterMap &map, ValueRange ivs,
                         int64_t lane) const {
  Arith a = x.arith(loc);
  Value sum;
  // The registers of a loop that stays one come to where its first turn is.
  size_t steps = loops.size() - (rolledArray ? 1 : 0);
  for (auto [digit, iv] : llvm::zip(ArrayRef(loops).take_front(steps), ivs))
    sum = a.add(sum, a.mul(iv, map[digit.reg] - map[0]));
  return a.orZero(a.add(sum, map[lane]));
}
