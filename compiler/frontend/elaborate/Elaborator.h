// Runs a file as Python as far as its kernels need it and emits tile IR for
// what depends on run-time values (language.md 2.1 and 4). One object
// elaborates one file; the parts are in
//   Module.cpp        module level, evaluated on demand
//   Kernels.cpp       choice of kernels, -D
//   Kernel.cpp        prim_func parameters      Eager.cpp    jit functions
//   Launch.cpp        T.Kernel, allocation
//   Workspaces.cpp    T.alloc_global
//   Statements.cpp    statements, names, control flow     Loops.cpp    for,
//   while Expressions.cpp   expressions, conditions             Subscripts.cpp
//   Calls.cpp         functions, macros, argument binding
//   Arithmetic.cpp    typed run-time arithmetic           Python.cpp,
//   Methods.cpp
// and, for the T.* names, in compiler/frontend/builtins/.
//
// After an error a value is poison: what is made from it is poison and silent.
#pragma once

#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/elaborate/Scope.h"
#include "compiler/frontend/elaborate/Value.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include <optional>

namespace tlc::frontend {

/// `if __name__ == "__main__":`, which a compilation skips.
bool isMainGuard(const ast::If *stmt);

/// How a statement ended. Stop: after an error that makes what follows
/// meaningless.
enum class Flow : uint8_t { Normal, Return, Break, Continue, Stop };

/// One activation of a function.
struct Frame {
  std::shared_ptr<Scope> scope;
  /// A kernel body or macro: loops and conditions on run-time values emit code.
  bool traced = false;
  /// Module level: the statement being evaluated, to find earlier bindings.
  std::optional<unsigned> moduleStatement;
  std::string name; // "the macro 'f'"
  Value result = Value::none();
  size_t regionDepth = 0; // run-time regions around the call
};

/// An integer known at launch: T.dynamic, or an integer parameter.
struct Symbol {
  std::string name;
  bool isParam = false;
  mlir::Value value; // while its kernel is elaborated
};

/// The most dimensions that a launch passes (tlc::kMaxRank of the runtime).
inline constexpr size_t kMaxTensorRank = 8;

/// T.alloc_global: becomes a parameter at the first T.Kernel.
struct WorkspaceRequest {
  std::shared_ptr<BufferObject> buffer;
  llvm::SMRange range; // of its shape
};

/// The T.Kernel block under elaboration.
struct LaunchState {
  tile::LaunchOp op;
  /// Constants, allocations and sizes stand before it. Erased at the end.
  mlir::Operation *prologueEnd = nullptr;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  llvm::DenseMap<mlir::AffineExpr, mlir::Value> sizes;
  unsigned parallelDepth = 0;
  /// Where T.thread_return stands in the block itself, outside of loops.
  std::vector<const char *> returns;
};

/// Arguments of a call, evaluated.
struct Arguments {
  struct Item {
    Value value;
    llvm::StringRef keyword; // empty: positional
    llvm::SMRange range;
  };
  std::vector<Item> items;
  llvm::SMRange range; // of the call
};

class Elaborator {
public:
  Elaborator(const ast::Module &module, llvm::SourceMgr &sources,
             const FrontendOptions &options, mlir::MLIRContext &context,
             DiagnosticEngine &diags);
  ~Elaborator();
  Elaborator(const Elaborator &) = delete;
  Elaborator &operator=(const Elaborator &) = delete;

  mlir::OwningOpRef<mlir::ModuleOp> run();
  std::vector<KernelInfo> listKernels();

  // ---- Services of all parts and of the builtins ----------------------------
  mlir::MLIRContext *context;
  mlir::OpBuilder b;
  DiagnosticEngine &diags;

  DiagnosticBuilder error(Diag diag, llvm::SMRange range) {
    return diags.report(diag, range);
  }
  /// "T.x is not supported yet".
  Value unsupported(llvm::SMRange range, const llvm::Twine &what);
  Value typeError(llvm::SMRange range, const llvm::Twine &what,
                  llvm::StringRef expected, const Value &got);
  mlir::Location loc(llvm::SMRange range);
  mlir::Location namedLoc(llvm::StringRef name, llvm::SMRange range);
  /// Text of a shape with the names of its symbols.
  std::string text(llvm::ArrayRef<Value> shape);
  std::string text(const Value &value);

  // Expressions.
  Value eval(const ast::Expr *expr);
  /// A buffer, a region or an element reference that is not read.
  Value evalOperand(const ast::Expr *expr);
  /// Truth of a condition: Bool for a compile-time one, else a Scalar of type
  /// bool; poison after an error.
  Value condition(const Value &value, llvm::SMRange range);
  /// `test ? a : b` where only the chosen side is evaluated.
  Value select(const Value &test, llvm::function_ref<Value()> onTrue,
               llvm::function_ref<Value()> onFalse, llvm::SMRange range);
  Value attribute(const Value &base, llvm::StringRef name,
                  llvm::SMRange baseRange, llvm::SMRange range);

  // Calls.
  Value call(const Value &callee, const ast::Call *expr);
  Value callFunction(FunctionObject &function, const Arguments &args);
  std::optional<Arguments> evalArguments(const ast::Call *expr,
                                         const FunctionObject *function);

  // Buffers.
  Value load(BufferObject &buffer, llvm::ArrayRef<Value> indices,
             llvm::SMRange range);
  void store(BufferObject &buffer, llvm::ArrayRef<Value> indices,
             const Value &value, llvm::SMRange range);
  Value loadVar(BufferObject &buffer, llvm::SMRange range);
  /// Whether every coordinate lies in its dimension, as far as is known.
  bool isInBounds(BufferObject &buffer, llvm::ArrayRef<Value> indices);
  /// T.thread_return(): what follows in the T.Kernel block is skipped.
  void returnThread(llvm::SMRange range);
  Value allocate(llvm::StringRef name, std::vector<int64_t> shape, Dtype dtype,
                 tile::Space space, llvm::SMRange range);
  /// Reads of alloc_vars may no longer be reused.
  void forgetVarLoads() { varLoads.clear(); }

  // Arithmetic.
  Value binary(ast::BinaryOperator op, const Value &a, const Value &b,
               llvm::SMRange range);
  Value compare(ast::CompareOperator op, const Value &a, const Value &b,
                llvm::SMRange range);
  Value negate(const Value &value, llvm::SMRange range);
  Value logicalNot(const Value &value, llvm::SMRange range);
  /// Converts a number or run-time scalar.
  Value cast(const Value &value, Dtype dtype, llvm::SMRange range);
  /// As a run-time scalar: literals get their types, sizes are materialised.
  /// Nothing, after an error, for other values.
  std::shared_ptr<ScalarObject> scalar(const Value &value, llvm::SMRange range);
  mlir::Value materialize(const ScalarObject &scalar, llvm::SMRange range);
  /// `value` converted to `dtype` as SSA value; null after an error.
  mlir::Value emit(const Value &value, Dtype dtype, llvm::SMRange range);
  /// Coordinates, extents, trip counts: i32, wider ones are truncated.
  mlir::Value emitIndex(const Value &value, llvm::SMRange range);
  Value makeScalar(mlir::Value value, Dtype dtype,
                   std::optional<Linear> linear = std::nullopt,
                   std::optional<Interval> range = std::nullopt);
  /// What is known of an integer value.
  std::optional<Linear> linearOf(const Value &value);
  std::optional<Interval> intervalOf(const Value &value);
  std::optional<int64_t> differenceOf(const Value &hi, const Value &lo);
  mlir::Value constant(mlir::TypedAttr attr, mlir::Location loc);

  /// `for i in range(extent)` around what `body` makes of i.
  void emitFor(const Value &extent, llvm::StringRef name, llvm::SMRange range,
               llvm::function_ref<void(const Value &)> body);
  /// `for at in T.Parallel(extents)` around what `body` makes of the indices.
  void emitParallel(llvm::ArrayRef<int64_t> extents, llvm::SMRange range,
                    llvm::function_ref<void(llvm::ArrayRef<Value>)> body);

  // Compile-time values.
  std::optional<int64_t> expectInt(const Value &value, llvm::SMRange range,
                                   const llvm::Twine &what);
  std::optional<bool> expectBool(const Value &value, llvm::SMRange range,
                                 const llvm::Twine &what);
  std::optional<Dtype> expectDtype(const Value &value, llvm::SMRange range);
  /// Items of a tuple, list, dict, string or compile-time range.
  std::optional<std::vector<Value>> iterate(const Value &value,
                                            llvm::SMRange range);
  Value symbol(llvm::StringRef name);

  // Context.
  bool inLaunch() const { return launch != nullptr; }
  bool inParallel() const { return launch && launch->parallelDepth != 0; }
  /// Whether run-time code can be emitted; reports if not.
  bool requireLaunch(llvm::SMRange range, llvm::StringRef what);
  bool requireTileOp(llvm::SMRange range, llvm::StringRef what);
  LaunchState *launch = nullptr;
  tile::KernelOp kernel;
  std::vector<std::string> preludes;
  unsigned launchCount = 0;
  bool fastMath = false;
  /// A jit function that is itself the kernel: its T.empty tensors.
  bool isEager = false;
  std::vector<std::shared_ptr<BufferObject>> outputs;
  /// Of the kernel under elaboration, not declared yet.
  std::vector<WorkspaceRequest> workspaces;
  /// The value that -D gives, if it does.
  std::optional<Value> define(llvm::StringRef name);
  /// Counts work; reports and gives false once there is far too much of it.
  bool step(llvm::SMRange range);

private:
  friend class RegionScope;
  friend class BlockScope;

  // Module.cpp
  struct ModuleName {
    std::vector<unsigned> statements; // that bind or change it
    std::vector<std::pair<unsigned, Value>> versions;
  };
  void indexModule();
  std::optional<Value> lookupModule(llvm::StringRef name,
                                    std::optional<unsigned> before);
  void executeModule(unsigned statement);
  struct Candidate {
    const ast::FunctionDef *def;
    bool isFactory, isEager;
  };
  std::vector<Candidate> candidates();
  std::vector<Candidate> chooseKernels();
  bool checkDefines(llvm::ArrayRef<Candidate> chosen);
  Value kernelOf(const Candidate &candidate);
  Value parseDefine(llvm::StringRef text);
  Value importModule(llvm::StringRef path);
  void executeImport(const ast::Import *stmt);
  void executeImportFrom(const ast::ImportFrom *stmt);

  // Kernel.cpp
  struct Param {
    std::string name;
    llvm::SMRange range;
    Dtype dtype;
    bool isTensor = false;
    std::vector<Value> shape;
    std::shared_ptr<BufferObject> output; // of T.empty
  };
  bool isVerified(mlir::ModuleOp op);
  void elaborateKernel(FunctionObject &function, mlir::ModuleOp module);
  bool beginKernel(llvm::StringRef name, llvm::SMRange range,
                   llvm::MutableArrayRef<Param> params, mlir::ModuleOp module);
  Value bindParam(Param &param, mlir::Block &body);
  void endKernel(llvm::StringRef name, llvm::SMRange range);
  bool bindParams(FunctionObject &function, std::vector<Param> &params);
  bool checkRanks(llvm::ArrayRef<Param> params);
  bool collectSymbols(llvm::ArrayRef<Param> params,
                      std::vector<unsigned> &order);

  // Eager.cpp
  void elaborateEager(FunctionObject &function, mlir::ModuleOp module);
  bool bindConstants(FunctionObject &function,
                     const llvm::StringSet<> &tensors);
  bool annotateTensor(const ast::AnnAssign *stmt, std::vector<Param> &params);
  bool checkReturn(const Value &result, llvm::SMRange range);

  // Launch.cpp
  Flow withKernel(const ast::With *stmt);
  void endLaunch(size_t journalMark, unsigned region);
  bool bindBlockIndices(const ast::Expr *target, mlir::Block *body,
                        const KernelFrameObject &frame);

  // Workspaces.cpp
  bool declareWorkspaces();
  bool declareWorkspace(const WorkspaceRequest &request);
  mlir::AffineExpr kernelSize(unsigned symbol, llvm::SMRange range);

  // Statements.cpp
  Flow execute(ast::Block block);
  Flow execute(const ast::Stmt *stmt);
  Flow executeIf(const ast::If *stmt);
  Flow executeReturn(const ast::Return *stmt);
  Flow executeAssert(const ast::Assert *stmt);
  Flow executeRaise(const ast::Raise *stmt);
  Flow executeWith(const ast::With *stmt);
  Flow executeExpr(const ast::ExprStmt *stmt);
  void executeAssign(const ast::Assign *stmt);
  void executeAugAssign(const ast::AugAssign *stmt);
  void executeAnnAssign(const ast::AnnAssign *stmt);
  void executeDef(const ast::FunctionDef *stmt);
  void assign(const ast::Expr *target, const Value &value);
  void assignName(llvm::StringRef name, const Value &value,
                  llvm::SMRange range);
  void assignSubscript(const ast::Subscript *target, const Value &value);
  void bind(llvm::StringRef name, const Value &value, llvm::SMRange range,
            bool isLoopVariable = false);
  bool checkRebinding(llvm::StringRef name, const Binding &old,
                      llvm::SMRange range);
  void poisonTargets(ast::Block block);
  void nameValue(llvm::StringRef name, const Value &value, llvm::SMRange range);
  FunctionKind functionKind(const ast::FunctionDef *def);
  /// Elaborates a block that runs under a run-time condition or loop.
  Flow executeRegion(ast::Block block, bool isLoop,
                     llvm::function_ref<void()> prepare = nullptr);
  void rollBack(size_t journalMark);
  void endRegions(size_t journalMark);

  // Loops.cpp
  Flow executeFor(const ast::For *stmt);
  Flow executeWhile(const ast::While *stmt);
  Flow pythonFor(const ast::For *stmt, const Value &iterable);
  Flow pythonWhile(const ast::While *stmt);
  Flow tracedWhile(const ast::While *stmt);
  Flow serialLoop(const ast::For *stmt, const LoopObject &loop);
  Flow pipelinedLoop(const ast::For *stmt, const LoopObject &loop);
  Flow parallelLoop(const ast::For *stmt, const LoopObject &loop);
  bool parallelExtents(const ast::For *stmt, const LoopObject &loop,
                       std::vector<const ast::Expr *> &targets,
                       llvm::SmallVectorImpl<int64_t> &extents);
  /// Variables of a loop with `break` or `continue`; null: not needed.
  struct Jumps {
    std::shared_ptr<BufferObject> skip;   // the rest of this iteration
    std::shared_ptr<BufferObject> broken; // all later iterations
    /// Of a T.Kernel block: `skip` is set by T.thread_return only.
    bool isLaunch = false;
  };
  Jumps prepareReturns(ast::Block body, llvm::SMRange range);
  Flow loopBody(const ast::For *stmt, mlir::Block *body, const Jumps &own,
                llvm::function_ref<void()> bindTargets);
  Value whileCondition(const ast::While *stmt, const Jumps &own);

  // NestedLoops.cpp
  Flow gridLoop(const ast::For *stmt, const LoopObject &loop);
  Flow persistentLoop(const ast::For *stmt, const LoopObject &loop);
  std::vector<const ast::Name *> loopTargets(const ast::For *stmt,
                                             size_t count);
  void emitIf(const Value &test, llvm::SMRange range,
              llvm::function_ref<void()> body);

  // Jumps.cpp
  Jumps prepareJumps(ast::Block body, llvm::SMRange range);
  void executeIteration(ast::Block body, const Jumps &own, llvm::SMRange range);
  Flow executeJump(const ast::Stmt *stmt);
  bool mayJump(const ast::Stmt *stmt);
  Value isClear(BufferObject &flag, llvm::SMRange range);

  // Expressions.cpp
  Value evalKind(const ast::Expr *expr);
  Value evalConstant(const ast::Constant *expr);
  Value evalName(const ast::Name *expr);
  Value lookup(llvm::StringRef name, llvm::SMRange range);
  Value evalBoolOp(const ast::BoolOp *expr);
  mlir::Value emitSelect(mlir::Value cond, const mlir::Value (&results)[2],
                         bool isOr, bool isAnd, llvm::SMRange range);
  mlir::Value emitLazy(mlir::Value cond, mlir::Block &onTrue,
                       mlir::Block &onFalse, const mlir::Value (&results)[2],
                       llvm::SMRange range);
  Value evalCompare(const ast::Compare *expr);
  Value evalUnary(const ast::UnaryOp *expr);
  Value evalIf(const ast::IfExp *expr);
  Value evalSequence(ast::ExprList elements, bool list);
  Value evalDict(const ast::Dict *expr);
  Value evalFormat(const ast::JoinedStr *expr);
  Value evalComprehension(llvm::ArrayRef<ast::Comprehension> generators,
                          llvm::function_ref<bool()> emitItem);

  // Subscripts.cpp
  Value evalSubscript(const ast::Subscript *expr, bool asOperand);
  Value subscriptBuffer(std::shared_ptr<BufferObject> buffer,
                        const ast::Subscript *expr, bool asOperand);
  std::optional<RegionDim> subscriptDim(BufferObject &buffer, unsigned dim,
                                        const ast::Expr *expr);
  Value subscriptSequence(const Value &base, const Value &index,
                          llvm::SMRange range);
  Value evalSlice(const ast::Slice *expr);

  // Calls.cpp
  std::optional<std::vector<Value>> bindArguments(FunctionObject &function,
                                                  const Arguments &args);
  Value callMethod(MethodObject &method, const Arguments &args);

  // Arithmetic.cpp
  Value symbolicBinary(ast::BinaryOperator op, const Value &a, const Value &b,
                       llvm::SMRange range);
  Value runtimeBinary(ast::BinaryOperator op, const Value &a, const Value &b,
                      llvm::SMRange range);
  Value floatBinary(ast::BinaryOperator op, mlir::Value a, mlir::Value b,
                    Dtype type, llvm::SMRange range);
  Value intBinary(ast::BinaryOperator op, const ScalarObject &a,
                  const ScalarObject &b, Dtype type, llvm::SMRange range);
  mlir::Value emitIntOp(ast::BinaryOperator op, const ScalarObject &a,
                        const ScalarObject &b, Dtype type, llvm::SMRange range);
  mlir::Value emitDivMod(bool isMod, const ScalarObject &a,
                         const ScalarObject &b, Dtype type,
                         llvm::SMRange range);
  mlir::Value materializeSize(mlir::AffineExpr expr, llvm::SMRange range);
  std::optional<Linear> linearOf(mlir::AffineExpr expr);
  std::optional<Interval> intervalOf(mlir::AffineExpr expr);
  mlir::OpBuilder::InsertPoint prologuePoint();

  // Python.cpp
  Value pythonBinary(ast::BinaryOperator op, const Value &a, const Value &b,
                     llvm::SMRange range);
  Value pythonCompare(ast::CompareOperator op, const Value &a, const Value &b,
                      llvm::SMRange range);

  bool isActive(unsigned region) const {
    return region == 0 || llvm::is_contained(activeRegions, region);
  }

  const ast::Module &module;
  llvm::SourceMgr &sources;
  const FrontendOptions &options;
  std::string fileName;
  llvm::StringSet<> definesParam; // -D of these sets a parameter
  llvm::StringMap<ModuleName> moduleNames;
  std::vector<bool> moduleRunning;
  std::vector<bool> moduleDone;

  Frame *frame = nullptr;
  /// Every scope is made here, so that the end can cut circles of scopes and
  /// their functions.
  std::shared_ptr<Scope> makeScope(std::shared_ptr<Scope> parent);
  std::vector<std::weak_ptr<Scope>> scopes;
  unsigned callDepth = 0;
  unsigned evalDepth = 0;
  uint64_t steps = 0;
  uint64_t clock = 0;

  std::vector<Symbol> symbols;

  std::vector<unsigned> activeRegions;
  unsigned lastRegion = 0;
  struct Change {
    std::shared_ptr<Scope> scope;
    std::string name;
    std::optional<Binding> old;
  };
  std::vector<Change> journal;
  /// (region, clock at its start) of the loops around, innermost last.
  std::vector<std::pair<unsigned, uint64_t>> loops;

  std::vector<Jumps> jumps; // of the loops around, innermost last

  struct VarLoad {
    mlir::Block *block;
    Value value;
  };
  llvm::DenseMap<BufferObject *, VarLoad> varLoads;
};

} // namespace tlc::frontend
