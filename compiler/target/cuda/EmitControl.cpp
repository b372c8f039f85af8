// Loops, branches, roles and calls.
#include "compiler/target/cuda/KernelEmitter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::cuda;

/// Variables := values, all at once.
void KernelEmitter::assign(ValueRange targets, ValueRange values) {
  SmallVector<std::pair<std::string, std::string>> pending;
  for (auto [target, value] : llvm::zip(targets, values)) {
    std::string text = expr(value).text;
    if (text != names[target])
      pending.push_back({names[target], text});
  }
  if (pending.size() == 1) {
    line(pending[0].first + " = " + pending[0].second + ";");
    return;
  }
  // A value may be another target: read all before the first write.
  SmallVector<std::string> temporaries;
  for (auto &[target, text] : pending) {
    std::string name = names.make(target + "_next");
    line("const auto " + name + " = " + text + ";");
    temporaries.push_back(name);
  }
  for (auto [entry, name] : llvm::zip(pending, temporaries))
    line(entry.first + " = " + name + ";");
}

LogicalResult KernelEmitter::forLoop(scf::ForOp op) {
  for (auto [result, arg, init] :
       llvm::zip(op.getResults(), op.getRegionIterArgs(), op.getInitArgs())) {
    declare(result, hintFor(op));
    // A copy: the map may grow.
    std::string name = names[result];
    names[arg] = name;
    line(typeName(result.getType()) + " " + name + " = " + expr(init).text +
         ";");
  }
  line(op->hasAttr("unroll") ? "#pragma unroll" : "#pragma unroll 1");
  StringRef hint = nameOf(op.getInductionVar().getLoc());
  if (hint.empty())
    hint = nameOf(op.getLoc());
  names.enter();
  std::string iv = names.make(hint.empty() ? "i" : hint);
  names[op.getInductionVar()] = iv;
  std::string step = expr(op.getStep()).text;
  open("for (" + typeName(op.getInductionVar().getType()) + " " + iv + " = " +
       expr(op.getLowerBound()).text + "; " + iv + " < " +
       operand(op.getUpperBound(), kShift) + "; " +
       (step == "1" ? "++" + iv : iv + " += " + step) + ") {");
  if (failed(block(*op.getBody())))
    return failure();
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  assign(op.getRegionIterArgs(), yield.getOperands());
  close();
  names.leave();
  return success();
}

LogicalResult KernelEmitter::whileLoop(scf::WhileOp op) {
  Block *before = op.getBeforeBody(), *after = op.getAfterBody();
  for (auto [arg, init] : llvm::zip(before->getArguments(), op.getInits())) {
    declare(arg, nameOf(arg.getLoc()).empty() ? "w" : nameOf(arg.getLoc()));
    line(typeName(arg.getType()) + " " + names[arg] + " = " + expr(init).text +
         ";");
  }
  auto condition = cast<scf::ConditionOp>(before->getTerminator());
  for (auto [result, arg] : llvm::zip(op.getResults(), after->getArguments())) {
    declare(result, "r");
    // A copy: the map may grow.
    std::string name = names[result];
    names[arg] = name;
    line(typeName(result.getType()) + " " + names[result] + ";");
  }
  open("while (true) {");
  if (failed(block(*before)))
    return failure();
  assign(after->getArguments(), condition.getArgs());
  line("if (!" + operand(condition.getCondition(), kUnary) + ")");
  ++depth;
  line("break;");
  --depth;
  if (failed(block(*after)))
    return failure();
  assign(before->getArguments(),
         cast<scf::YieldOp>(after->getTerminator()).getOperands());
  close();
  return success();
}

LogicalResult KernelEmitter::branch(scf::IfOp op) {
  for (Value result : op.getResults()) {
    declare(result, hintFor(op));
    line(typeName(result.getType()) + " " + names[result] + ";");
  }
  open("if (" + expr(op.getCondition()).text + ") {");
  auto part = [&](Region &region) {
    if (region.empty())
      return success();
    if (failed(block(region.front())))
      return failure();
    if (auto yield = dyn_cast<scf::YieldOp>(region.front().getTerminator()))
      assign(op.getResults(), yield.getOperands());
    return success();
  };
  if (failed(part(op.getThenRegion())))
    return failure();
  bool hasElse = !op.getElseRegion().empty() &&
                 op.getElseRegion().front().getOperations().size() >
                     (op.getNumResults() ? 0u : 1u);
  if (hasElse) {
    names.leave();
    --depth;
    open("} else {");
    if (failed(part(op.getElseRegion())))
      return failure();
  }
  close();
  return success();
}

std::string KernelEmitter::rolePredicate(sm::RoleOp op) {
  int64_t first = op.getWarps()[0], count = op.getWarps()[1];
  int64_t total = static_cast<int64_t>(launch.getThreads()) / 32;
  if (first == 0 && count == 1)
    return warpName + " == 0";
  if (first == 0)
    return warpName + " < " + llvm::itostr(count);
  if (count == 1)
    return warpName + " == " + llvm::itostr(first);
  std::string text = warpName + " >= " + llvm::itostr(first);
  if (first + count < total)
    text += " && " + warpName + " < " + llvm::itostr(first + count);
  return text;
}

/// Roles beside each other form one chain: they exclude each other.
LogicalResult KernelEmitter::roles(Operation *first, Operation *&last) {
  bool chain = false;
  for (Operation *op = first; op; op = op->getNextNode()) {
    auto role = dyn_cast<sm::RoleOp>(op);
    if (!role) {
      if (isa<arith::ConstantOp, sm::TensorMapOp>(op))
        continue;
      break;
    }
    last = op;
    // A role of all warps of the one around it needs no branch.
    auto all = static_cast<int64_t>(launch.getThreads());
    bool whole = roleStack.empty()
                     ? role.getWarps()[0] == 0 && 32 * role.getWarps()[1] >= all
                     : roleStack.back().getWarps() == role.getWarps();
    std::string head = whole ? "{" : "if (" + rolePredicate(role) + ") {";
    if (chain) {
      names.leave();
      --depth;
      open("} else " + head + " // " + role.getName());
    } else {
      open(head + " // " + role.getName());
    }
    chain = true;
    roleStack.push_back(role);
    if (failed(block(role.getBody().front())))
      return failure();
    roleStack.pop_back();
  }
  close();
  return success();
}

LogicalResult KernelEmitter::elect(sm::ElectOp op) {
  prelude.use("elect_one");
  int64_t first = roleStack.empty() ? 0 : roleStack.back().getWarps()[0];
  int64_t count = roleStack.empty() ? llvm::divideCeil(launch.getThreads(), 32)
                                    : roleStack.back().getWarps()[1];
  std::string text = "elect_one()";
  if (count > 1)
    text = warpName + " == " + llvm::itostr(first) + " && " + text;
  open("if (" + text + ") {");
  if (failed(block(op.getBody().front())))
    return failure();
  close();
  return success();
}

LogicalResult KernelEmitter::externCall(tile::CallExternOp op) {
  std::string text = call(op.getCallee(), op.getArgs()).text;
  if (Value result = op.getResult()) {
    declare(result, hintFor(op));
    text = "const " + typeName(result.getType()) + " " + names[result] + " = " +
           text;
  }
  line(text + ";");
  return success();
}
