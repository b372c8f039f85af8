// Linear forms and the enumeration of unknown values.
#include "compiler/verify/Values.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/support/Catch.h"

using namespace mlir;
using namespace tlc::verify;

namespace {
/// A block with i32 arguments n, m and a place to build in.
struct Program {
  Program() : b(&context) {
    context.loadDialect<arith::ArithDialect>();
    loc = b.getUnknownLoc();
    module = ModuleOp::create(b, *loc);
    body = std::make_unique<Block>();
    n = body->addArgument(b.getI32Type(), *loc);
    m = body->addArgument(b.getI32Type(), *loc);
    b.setInsertionPointToEnd(body.get());
  }
  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, *loc, b.getI32IntegerAttr(value));
  }
  template <typename Op> Value make(Value x, Value y) {
    return Op::create(b, *loc, x, y);
  }

  MLIRContext context;
  OpBuilder b;
  std::optional<Location> loc;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<Block> body;
  Value n, m;
};
} // namespace

TEST_CASE("verify: the unknown part of an expression is one unknown",
          "[verify]") {
  Program p;
  Value turns =
      p.make<arith::SubIOp>(p.make<arith::SubIOp>(p.n, p.m), p.constant(1));
  Value first = p.make<arith::MinSIOp>(turns, p.constant(2));
  AtomTable atoms;
  Choices choices(6);
  choices.reset(GuardPattern::True);
  std::set<int64_t> seen;
  do {
    Evaluator values(atoms, choices);
    int64_t count = values.number(turns);
    seen.insert(count);
    CHECK(values.number(first) == std::min<int64_t>(count, 2));
    // The other direction and another offset are the same unknown.
    CHECK(values.number(p.make<arith::SubIOp>(p.m, p.n)) == -count - 1);
    for (int64_t i = 0; i < count; ++i) {
      Value next = p.make<arith::AddIOp>(p.constant(i), p.constant(2));
      Value more = arith::CmpIOp::create(p.b, *p.loc, arith::CmpIPredicate::slt,
                                         next, turns);
      CHECK(values.number(more) == (i + 2 < count));
    }
  } while (choices.next());
  // -1 .. 6 less the constant.
  CHECK(seen == std::set<int64_t>{-2, -1, 0, 1, 2, 3, 4, 5});
}

TEST_CASE("verify: quotients of one input are doubtful together", "[verify]") {
  Program p;
  Value a = p.make<arith::DivSIOp>(p.n, p.constant(64));
  Value b = p.make<arith::DivSIOp>(p.n, p.constant(128));
  Value c = p.make<arith::DivSIOp>(p.m, p.constant(64));
  AtomTable atoms;
  Choices choices(4);
  choices.reset(GuardPattern::True);
  Evaluator values(atoms, choices);
  values.number(a);
  values.number(c);
  CHECK_FALSE(choices.areDoubtful());
  values.number(b);
  CHECK(choices.areDoubtful());
}

TEST_CASE("verify: equal expressions are equal unknowns", "[verify]") {
  Program p;
  Value a = p.make<arith::DivSIOp>(p.n, p.constant(64));
  Value b = p.make<arith::DivSIOp>(p.n, p.constant(64));
  AtomTable atoms;
  Choices choices(4);
  choices.reset(GuardPattern::True);
  Evaluator values(atoms, choices);
  Linear difference = values.evaluate(a);
  difference.add(values.evaluate(b), -1);
  CHECK(difference.isConstant());
  CHECK(difference.constant == 0);
}

TEST_CASE("verify: guards are true, false, in turn, or in all combinations",
          "[verify]") {
  Sources none;
  auto count = [&](GuardPattern pattern, int guards) {
    Choices choices(4);
    choices.reset(pattern);
    std::set<std::string> runs;
    do {
      std::string run;
      for (int i = 0; i < guards; ++i)
        run += choices.choose(std::to_string(i), true, false, none) ? '1' : '0';
      runs.insert(run);
    } while (choices.next());
    return runs;
  };
  CHECK(count(GuardPattern::True, 4) == std::set<std::string>{"1111"});
  CHECK(count(GuardPattern::False, 4) == std::set<std::string>{"0000"});
  CHECK(count(GuardPattern::Alternate, 4) == std::set<std::string>{"0101"});
  CHECK(count(GuardPattern::Branch, 4).size() == 16);
  // Beyond six they follow a pattern.
  CHECK(count(GuardPattern::Branch, 9).size() == 64);
}

TEST_CASE("verify: a question is answered once in a run", "[verify]") {
  Choices choices(3);
  choices.reset(GuardPattern::True);
  do {
    int64_t first = choices.choose("n", false, false, {});
    CHECK(choices.choose("n", false, false, {}) == first);
  } while (choices.next());
}
