// Kernels as a whole: parameters, entry, prelude, signatures.
#include "compiler/target/cuda/CudaEmitter.h"

#include "compiler/target/cuda/KernelEmitter.h"
#include "dialects/tile/Workspaces.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::cuda;

KernelEmitter::KernelEmitter(tile::KernelOp kernel, sm::LaunchOp launch,
                             std::string symbol, Prelude &prelude)
    : kernel(kernel), launch(launch), symbol(std::move(symbol)),
      prelude(prelude) {}

/// Dimensions and pitches of a compact row-major tensor, innermost first.
static TensorMapInfo describeMap(tile::KernelOp kernel, sm::TensorMapOp op) {
  TensorMapInfo info;
  auto param = cast<BlockArgument>(op.getBuffer());
  AffineMap shape = kernel.getParamShape(param.getArgNumber());
  MemRefType type = op.getBuffer().getType();
  info.element = type.getElementType();
  info.swizzleBytes = op.getSwizzle();
  SizeExpr pitch = SizeExpr::constant(bitsOf(info.element) / 8);
  for (unsigned i = shape.getNumResults(); i-- > 0;) {
    SizeExpr size = sizeExprOf(shape.getResult(i), kernel);
    info.globalDims.push_back(size);
    info.box.push_back(op.getBox()[i]);
    pitch = SizeExpr::binary(SizeExpr::Kind::Mul, size, pitch);
    if (i > 0)
      info.globalStridesBytes.push_back(pitch);
  }
  return info;
}

/// Whether a parameter is a workspace.
static bool isOfCall(tile::KernelOp kernel, Value param) {
  return cast<BlockArgument>(param).getArgNumber() >=
         tile::getNumPassed(kernel);
}

void KernelEmitter::addTensorMaps(Value param, KernelSignature &signature) {
  StringRef name = kernel.getArgName(cast<BlockArgument>(param).getArgNumber());
  launch.walk([&](sm::TensorMapOp op) {
    if (op.getBuffer() != param)
      return;
    for (auto &[other, unused] : tensorMaps)
      if (other.getBuffer() == param && other.getBox() == op.getBox() &&
          other.getSwizzle() == op.getSwizzle())
        return;
    tensorMaps.push_back({op, names.make((name + "_map").str())});
    KernelArg arg{KernelArg::Kind::TensorMap, name.str(), {}, 64, {}};
    arg.tensorMap = describeMap(kernel, op);
    arg.isOfCall = isOfCall(kernel, param);
    signature.args.push_back(std::move(arg));
  });
}

/// Uses of a parameter that need its address or value.
static SmallVector<Operation *> directUsers(Value param, sm::LaunchOp launch) {
  SmallVector<Operation *> users;
  for (Operation *user : param.getUsers())
    if (launch->isProperAncestor(user) && !isa<sm::TensorMapOp>(user))
      users.push_back(user);
  return users;
}

/// Whether the launch needs a number: itself, or what is computed from it
/// before the launch and printed where it is used.
static bool needsNumber(Value number, sm::LaunchOp launch) {
  SmallVector<Value> work{number};
  DenseSet<Value> seen{number};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!directUsers(value, launch).empty())
      return true;
    for (Operation *user : value.getUsers())
      if (user->getBlock() == launch->getBlock() && user != launch)
        for (Value result : user->getResults())
          if (seen.insert(result).second)
            work.push_back(result);
  }
  return false;
}

/// Bytes that vector accesses rely on.
static int64_t alignmentOf(Value param, ArrayRef<Operation *> users) {
  auto type = cast<MemRefType>(param.getType());
  int64_t bytes = bitsOf(type.getElementType()) / 8;
  for (Operation *user : users) {
    if (auto load = dyn_cast<sm::LdGlobalOp>(user))
      bytes = std::max(bytes, bitsOf(load.getResult().getType()) / 8);
    if (auto store = dyn_cast<sm::StGlobalOp>(user))
      bytes = std::max(bytes, bitsOf(store.getValue().getType()) / 8);
    if (isa<sm::BulkCopyOp, sm::CpAsyncOp>(user))
      bytes = std::max<int64_t>(bytes, 16);
  }
  return bytes;
}

/// Parameters that the body uses, in the order of the kernel, then sizes.
void KernelEmitter::collectArgs(KernelSignature &signature) {
  for (unsigned i = 0; i < kernel.getNumParams(); ++i) {
    Value param = kernel.getParam(i);
    addTensorMaps(param, signature);
    auto users = directUsers(param, launch);
    auto type = dyn_cast<MemRefType>(param.getType());
    if (type ? users.empty() : !needsNumber(param, launch))
      continue;
    names[param] = names.make(kernel.getArgName(i));
    KernelArg arg{type ? KernelArg::Kind::Pointer : KernelArg::Kind::Scalar,
                  kernel.getArgName(i).str(),
                  type ? type.getElementType() : param.getType(),
                  type ? alignmentOf(param, users) : 1,
                  {}};
    arg.isOfCall = isOfCall(kernel, param);
    signature.args.push_back(std::move(arg));
  }
  for (unsigned i = 0; i < kernel.getSymbolNames().size(); ++i) {
    Value symbolValue = kernel.getSymbolValue(i);
    if (!needsNumber(symbolValue, launch))
      continue;
    unsigned at = kernel.getNumParams() + i;
    names[symbolValue] = names.make(kernel.getArgName(at));
    signature.args.push_back({KernelArg::Kind::Symbol,
                              kernel.getArgName(at).str(),
                              symbolValue.getType(),
                              1,
                              {}});
  }
}

/// Count and generation of the grid barrier, which belong to the launch.
void KernelEmitter::addGridState(KernelSignature &signature) {
  launch.walk([&](sm::GridBarrierOp) { signature.cooperative = true; });
  if (!signature.cooperative)
    return;
  gridState = names.make("grid_state");
  KernelArg arg{KernelArg::Kind::Workspace, gridState, {}, 4, {}};
  arg.bytes = 8;
  signature.args.push_back(std::move(arg));
}

void KernelEmitter::emitHead(llvm::raw_ostream &os,
                             const KernelSignature &signature) {
  os << "extern \"C\" __global__ void __launch_bounds__(" << signature.threads
     << ", 1)\n"
     << symbol << "(";
  auto map = tensorMaps.begin();
  DenseSet<Value> written;
  launch.walk([&](Operation *op) {
    if (auto store = dyn_cast<sm::StGlobalOp>(op))
      written.insert(store.getBuffer());
    if (auto atomic = dyn_cast<sm::AtomicOp>(op); atomic && atomic.getBuffer())
      written.insert(atomic.getBuffer());
    if (auto pointer = dyn_cast<sm::PointerOp>(op))
      written.insert(pointer.getBuffer());
  });
  bool first = true;
  auto next = [&] {
    if (!first)
      os << ",\n    ";
    first = false;
  };
  auto emitValue = [&](Value v) {
    if (!names.contains(v))
      return;
    next();
    auto type = dyn_cast<MemRefType>(v.getType());
    std::string element = typeName(type ? type.getElementType() : v.getType());
    if (type)
      os << (written.contains(v) ? "" : "const ") << element << " *"
         << names[v];
    else
      os << element << " " << names[v];
  };
  for (unsigned i = 0; i < kernel.getNumParams(); ++i) {
    Value param = kernel.getParam(i);
    for (; map != tensorMaps.end() && map->first.getBuffer() == param; ++map) {
      next();
      os << "const __grid_constant__ TensorMap " << map->second;
    }
    emitValue(param);
  }
  for (unsigned i = 0; i < kernel.getSymbolNames().size(); ++i)
    emitValue(kernel.getSymbolValue(i));
  if (!gridState.empty()) {
    next();
    os << "u32 *" << gridState;
  }
  os << ") {\n";
}

/// Block indices and the warp index.
void KernelEmitter::emitEntry() {
  static const char *const dims[] = {"x", "y", "z"};
  auto args = launch.getBody().getArguments();
  for (auto [i, arg] : llvm::enumerate(args)) {
    StringRef hint = nameOf(arg.getLoc());
    names[arg] =
        names.make(hint.empty() ? "b" + std::string(dims[i]) : hint.str());
  }
  unsigned at = 0;
  if (launch.getSwizzle() != 0 && args.size() >= 2) {
    std::string name =
        launch.getSwizzleColumn() ? "panel_columns" : "panel_rows";
    prelude.use(name);
    line("int " + names[args[0]] + ", " + names[args[1]] + ";");
    line(name + "(" + llvm::itostr(launch.getSwizzle()) + ", " +
         names[args[0]] + ", " + names[args[1]] + ");");
    at = 2;
  }
  for (; at < args.size(); ++at)
    if (!args[at].use_empty())
      line("const int " + names[args[at]] + " = blockIdx." + dims[at] + ";");
  bool needsWarp = false;
  launch.walk([&](Operation *op) {
    needsWarp |= isa<sm::RoleOp, sm::WarpOp, sm::ElectOp>(op);
  });
  if (needsWarp) {
    warpName = names.make("warp");
    prelude.use("uniform");
    line("const int " + warpName + " = uniform(threadIdx.x >> 5);");
  }
}

LogicalResult KernelEmitter::emit(llvm::raw_ostream &os,
                                  KernelSignature &signature) {
  names.enter();
  signature.symbol = symbol;
  signature.kernel = kernel.getSymName().str();
  signature.threads = launch.getThreads();
  signature.sharedBytes = launch.getSharedBytes();
  bool usesShared = false;
  launch.walk([&](sm::SharedBaseOp) { usesShared = true; });
  if (usesShared)
    signature.sharedBytes += 1024;
  signature.grid.fill(SizeExpr::constant(1));
  for (auto [i, extent] : llvm::enumerate(launch.getGrid())) {
    auto size = sizeExprOf(launch, extent);
    if (failed(size))
      return failure();
    signature.grid[i] = *size;
  }
  collectArgs(signature);
  addGridState(signature);
  for (const KernelArg &arg : signature.args) {
    if (arg.kind == KernelArg::Kind::TensorMap)
      prelude.use("TensorMap");
    else if (arg.kind == KernelArg::Kind::Workspace)
      prelude.use("u32");
    else if (std::string type = typeName(arg.type);
             arg.type &&
             (isa<FloatType>(arg.type) || type == "u32" || type == "u16" ||
              type == "u64") &&
             type != "float" && type != "double")
      prelude.use(type);
  }
  emitEntry();
  if (failed(block(launch.getBody().front())))
    return failure();
  emitHead(os, signature);
  os << body << "}\n";
  return success();
}

/// The texts of a prelude, each behind a #line with its name, that no other
/// kernel has brought yet.
static void printImported(llvm::raw_ostream &os, StringRef texts,
                          llvm::StringSet<> &printed) {
  constexpr StringRef head = "#line 1 \"T.import_source";
  while (!texts.empty()) {
    std::string name = (head + "\"").str();
    if (texts.starts_with(head))
      std::tie(name, texts) = texts.split('\n');
    size_t end = texts.find(("\n" + head).str());
    StringRef text = texts.take_front(end);
    texts = end == StringRef::npos ? StringRef() : texts.drop_front(end + 1);
    if (printed.insert(text).second)
      os << "\n" << name << "\n" << text << (text.ends_with("\n") ? "" : "\n");
  }
}

LogicalResult cuda::emitCuda(ModuleOp module, llvm::raw_ostream &os,
                             SmallVectorImpl<KernelSignature> &signatures) {
  Prelude prelude;
  llvm::SetVector<StringRef> userTexts;
  llvm::StringSet<> printed;
  std::string kernels;
  llvm::raw_string_ostream out(kernels);
  for (tile::KernelOp kernel : module.getOps<tile::KernelOp>()) {
    if (auto text = kernel.getPrelude())
      userTexts.insert(*text);
    SmallVector<sm::LaunchOp> launches(kernel.getOps<sm::LaunchOp>());
    for (auto [i, launch] : llvm::enumerate(launches)) {
      std::string symbol = sanitizeName(kernel.getSymName()) + "_kernel";
      if (launches.size() > 1)
        symbol += "_" + llvm::utostr(i);
      out << "\n";
      KernelSignature signature;
      KernelEmitter emitter(kernel, launch, symbol, prelude);
      if (failed(emitter.emit(out, signature)))
        return failure();
      signatures.push_back(std::move(signature));
    }
  }
  prelude.print(os);
  for (StringRef texts : userTexts)
    printImported(os, texts, printed);
  os << kernels;
  return success();
}

namespace {
/// For lit tests: the text goes to standard output.
struct EmitCudaPass : PassWrapper<EmitCudaPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitCudaPass)
  StringRef getArgument() const override { return "emit-cuda"; }
  StringRef getDescription() const override {
    return "print thread programs as CUDA to standard output";
  }
  void runOnOperation() override {
    SmallVector<KernelSignature, 1> signatures;
    if (failed(emitCuda(getOperation(), llvm::outs(), signatures)))
      signalPassFailure();
  }
};
} // namespace

void cuda::registerEmitCudaPass() { PassRegistration<EmitCudaPass>(); }
