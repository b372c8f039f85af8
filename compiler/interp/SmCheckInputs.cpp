// Default inputs of a check: what loops and conditions depend on.
#include "compiler/interp/SmCheck.h"
#include "compiler/interp/TileInterpElement.h"
#include "dialects/sm/Sm.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;
using tile::Space;

namespace {
/// The kernel arguments that values depend on.
class Dependences {
public:
  explicit Dependences(tile::KernelOp kernel) : kernel(kernel) {}

  void add(Value v) {
    if (seen.insert(v).second)
      work.push_back(v);
  }
  /// Arguments of the kernel: numbers used, tensors loaded from.
  llvm::DenseSet<Value> solve();

private:
  void visit(Value v);
  void visitArgument(BlockArgument arg);
  void visitLocal(Value buffer);

  tile::KernelOp kernel;
  llvm::DenseSet<Value> seen, found;
  std::vector<Value> work;
};
} // namespace

llvm::DenseSet<Value> Dependences::solve() {
  while (!work.empty()) {
    Value v = work.back();
    work.pop_back();
    visit(v);
  }
  return found;
}

/// What is stored to a buffer of a thread can be loaded from it.
void Dependences::visitLocal(Value buffer) {
  for (Operation *user : buffer.getUsers()) {
    if (auto store = dyn_cast<tile::StoreOp>(user))
      add(store.getValue());
    if (auto fill = dyn_cast<tile::FillOp>(user))
      add(fill.getValue());
    if (auto copy = dyn_cast<tile::CopyOp>(user);
        copy && copy.getDst() == buffer)
      add(copy.getSrc());
  }
}

void Dependences::visitArgument(BlockArgument arg) {
  Operation *owner = arg.getOwner()->getParentOp();
  if (owner == kernel) {
    found.insert(arg);
  } else if (auto loop = dyn_cast<scf::ForOp>(owner)) {
    for (Value bound : loop->getOperands().take_front(3))
      add(bound);
    if (arg.getArgNumber() > 0) {
      add(loop.getInitArgs()[arg.getArgNumber() - 1]);
      add(loop.getBody()->getTerminator()->getOperand(arg.getArgNumber() - 1));
    }
  } else {
    for (Value operand : owner->getOperands())
      add(operand);
  }
}

void Dependences::visit(Value v) {
  if (auto arg = dyn_cast<BlockArgument>(v))
    return visitArgument(arg);
  Operation *op = v.getDefiningOp();
  if (isa<MemRefType>(v.getType()) && !isa<sm::SlotOp>(op))
    return visitLocal(v);
  for (Value operand : op->getOperands())
    add(operand);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (block.mightHaveTerminator())
        for (Value operand : block.getTerminator()->getOperands())
          add(operand);
}

namespace {
/// What the arguments of a kernel are for.
struct Roles {
  llvm::DenseSet<Value> bounds, guards, grid;
  SmallVector<int64_t> tile; ///< by dynamic size: the extent of a tile along it
};
} // namespace

static bool isInParallel(Operation *op) {
  return op->getParentOfType<tile::ParallelOp>();
}

/// Tiles of global tensors along each dynamic size.
static SmallVector<int64_t> tilesOf(tile::KernelOp kernel) {
  SmallVector<int64_t> tiles(kernel.getSymbolNames().size(), 1);
  auto visit = [&](Value tensor, ArrayRef<int64_t> sizes) {
    auto arg = dyn_cast<BlockArgument>(tensor);
    if (!arg || arg.getOwner()->getParentOp() != kernel)
      return;
    AffineMap shape = kernel.getParamShape(arg.getArgNumber());
    for (auto [expr, size] : llvm::zip(shape.getResults(), sizes))
      if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
        tiles[symbol.getPosition()] =
            std::max(tiles[symbol.getPosition()], size);
  };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<sm::TmaLoadOp>(op))
      visit(load.getSrc(), load.getSizes());
    if (auto load = dyn_cast<sm::BulkLoadOp>(op))
      visit(load.getSrc(), load.getSizes());
    if (auto store = dyn_cast<sm::TmaStoreOp>(op))
      visit(store.getDst(), store.getSizes());
    if (auto copy = dyn_cast<tile::CopyOp>(op)) {
      visit(copy.getSrc(), copy.getSrcSizes());
      visit(copy.getDst(), copy.getDstSizes());
    }
  });
  return tiles;
}

static Roles rolesOf(tile::KernelOp kernel) {
  Dependences bounds(kernel), guards(kernel), grid(kernel);
  kernel.walk([&](Operation *op) {
    if (isInParallel(op))
      return;
    if (auto launch = dyn_cast<sm::LaunchOp>(op))
      for (Value extent : launch.getGrid())
        grid.add(extent);
    if (isa<scf::ForOp>(op))
      for (Value bound : op->getOperands().take_front(3))
        bounds.add(bound);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      bounds.add(loop.getConditionOp().getCondition());
    if (auto branch = dyn_cast<scf::IfOp>(op))
      guards.add(branch.getCondition());
  });
  return {bounds.solve(), guards.solve(), grid.solve(), tilesOf(kernel)};
}

bool tlc::interp::hasFlagTensors(tile::KernelOp kernel) {
  Roles roles = rolesOf(kernel);
  return llvm::any_of(roles.guards, [&](Value v) {
    return isa<MemRefType>(v.getType()) && !roles.bounds.contains(v);
  });
}

static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> values;
  for (int64_t v : sizes)
    values.push_back(getAffineConstantExpr(v, expr.getContext()));
  expr = simplifyAffineExpr(expr.replaceSymbols(values), 0, values.size());
  auto constant = dyn_cast<AffineConstantExpr>(expr);
  return constant ? std::max<int64_t>(constant.getValue(), 0) : 1;
}

/// Fills a tensor by the row-major number and the first index of an element.
static void fillTensor(std::vector<uint8_t> &bytes, Elem elem, int64_t elements,
                       int64_t rowElements,
                       llvm::function_ref<int64_t(int64_t, int64_t)> value) {
  for (int64_t e = 0; e < elements; ++e) {
    Cell c;
    c.i = value(e, e / rowElements);
    encode(elem, &bytes[e * sizeOf(elem)], convert(c, Elem::I64, elem));
  }
}

SmInputMaker tlc::interp::makeCheckInputs(tile::KernelOp kernel,
                                          int64_t tiles) {
  Roles roles = rolesOf(kernel);
  return [kernel, roles, tiles](int64_t turns, uint64_t flags) mutable {
    SmallVector<int64_t> sizes;
    for (auto [i, tile] : llvm::enumerate(roles.tile)) {
      Value size = kernel.getSymbolValue(i);
      bool one = roles.grid.contains(size) && !roles.bounds.contains(size);
      sizes.push_back(one ? tiles * tile : turns * tile);
    }
    SmInputs inputs;
    inputs.memory.resize(kernel.getNumParams());
    for (unsigned i = 0; i < kernel.getNumParams(); ++i) {
      BlockArgument param = kernel.getParam(i);
      auto type = dyn_cast<MemRefType>(param.getType());
      bool bounds = roles.bounds.contains(param);
      if (!type) {
        auto size =
            llvm::find(kernel.getSymbolNames(), kernel.getParamNames()[i]);
        if (size != kernel.getSymbolNames().end())
          inputs.args.push_back(sizes[size - kernel.getSymbolNames().begin()]);
        else
          inputs.args.push_back(bounds ? turns : int64_t(1));
        continue;
      }
      TensorArg tensor;
      int64_t elements = 1;
      for (AffineExpr e : kernel.getParamShape(i).getResults()) {
        tensor.shape.push_back(evaluate(e, sizes));
        elements *= tensor.shape.back();
      }
      Elem elem = elemOf(type.getElementType()).value_or(Elem::I8);
      std::vector<uint8_t> &bytes = inputs.memory[i];
      bytes.assign(std::max<int64_t>(elements, 1) * sizeOf(elem), 0);
      int64_t row = tensor.shape.empty() || tensor.shape.front() == 0
                        ? 1
                        : elements / tensor.shape.front();
      if (bounds && !isFloat(elem))
        fillTensor(bytes, elem, elements, row, [&](int64_t e, int64_t) {
          return elements == 1 ? turns : e * turns;
        });
      else if (roles.guards.contains(param))
        fillTensor(bytes, elem, elements, row, [&](int64_t, int64_t first) {
          return static_cast<int64_t>(flags >> (first % 64) & 1);
        });
      tensor.data = bytes.data();
      inputs.args.push_back(tensor);
    }
    return inputs;
  };
}
