// Kernel, launch and allocation.
#ifndef TLC_TILE_KERNEL_OPS_TD
#define TLC_TILE_KERNEL_OPS_TD

include "dialects/tile/TileBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Tile_KernelOp : Tile_Op<"kernel",
    [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator]> {
  let summary = "one prim_func: host-side sizes and the launches";
  let description = [{
    The block arguments are the parameters in declaration order (global buffers
    and scalars), then one `i32` for each dynamic size. `param_shapes` holds for
    each parameter an affine map from the dynamic sizes to its dimensions (no
    results for a scalar). `prelude` is CUDA text from `T.import_source`. The
    attribute `tile.outputs`, where it is there, lists the tensor parameters
    that a host allocates when its caller does not give them (`out_idx`,
    `T.empty`), in the order in which they are returned. `tile.workspaces` tells
    how many of the parameters, the last ones, are no arguments but tensors that
    a host allocates for one call (`T.alloc_global`), undefined at its start.

    ```mlir
    tile.kernel @scale params ["X"] shapes [affine_map<()[n] -> (n)>]
        symbols ["n"] {
    ^bb0(%x: memref<?xf32, #tile.space<global>>, %n: i32):
      tile.launch grid(%n) threads [128, 1, 1] {
      ^bb0(%bx: i32):
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$param_names,
    ArrayAttr:$param_shapes, StrArrayAttr:$symbol_names,
    OptionalAttr<StrAttr>:$prelude, UnitAttr:$fast_math);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `params` $param_names `shapes` $param_shapes
    `symbols` $symbol_names (`prelude` $prelude^)? (`fast_math` $fast_math^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumParams() { return getParamNames().size(); }
    /// Parameter `i` of the kernel.
    ::mlir::BlockArgument getParam(unsigned i) {
      return getBody().getArgument(i);
    }
    /// The i32 that holds dynamic size `i`.
    ::mlir::BlockArgument getSymbolValue(unsigned i) {
      return getBody().getArgument(getNumParams() + i);
    }
    /// Dimensions of parameter `i` over the dynamic sizes.
    ::mlir::AffineMap getParamShape(unsigned i) {
      return ::llvm::cast<::mlir::AffineMapAttr>(getParamShapes()[i])
          .getValue();
    }
    /// Name of a parameter or dynamic size.
    ::llvm::StringRef getArgName(unsigned i);
  }];
}

def Tile_LaunchOp : Tile_Op<"launch", [SingleBlock, NoTerminator]> {
  let summary = "one T.Kernel block: grid, threads and the body of a block";
  let description = [{
    The block arguments are the block indices, one for each grid dimension.
    `swizzle` is T.use_swizzle's panel size (0: none).
  }];
  let arguments = (ins Variadic<I32>:$grid, DenseI64ArrayAttr:$threads,
    DefaultValuedAttr<I64Attr, "0">:$swizzle, UnitAttr:$swizzle_column);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `grid` `(` $grid `)` `threads` $threads (`swizzle` $swizzle^)?
    (`column` $swizzle_column^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Threads of the block as the program wrote them.
    int64_t getNumThreads() {
      return getThreads()[0] * getThreads()[1] * getThreads()[2];
    }
  }];
}

def Tile_AllocOp : Tile_Op<"alloc", [Tile_Effects]> {
  let summary = "a shared tile, a fragment or a thread-private array";
  let description = [{
    Contents are undefined until written. `swizzle` (shared) and `layout`
    (fragment) are decided by `tile-infer-layouts`, `order` (shared) there and
    by `tile-select-instructions`.

    ```mlir
    %a = tile.alloc "A_shared" : memref<128x64xbf16, #tile.space<shared>>
    ```
  }];
  let arguments = (ins StrAttr:$name,
    OptionalAttr<Tile_SwizzleAttr>:$swizzle,
    OptionalAttr<Tile_FragmentLayoutAttr>:$layout,
    OptionalAttr<Tile_TileOrderAttr>:$order);
  let results = (outs Tile_Buffer:$result);
  let assemblyFormat = [{
    $name (`swizzle` $swizzle^)? (`order` $order^)? (`layout` $layout^)?
    attr-dict `:` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type,
      "::mlir::StringAttr":$name, "SwizzleAttr":$swizzle,
      "FragmentLayoutAttr":$layout), [{
    build($_builder, $_state, type, name, swizzle, layout, TileOrderAttr());
  }]>, OpBuilder<(ins "::mlir::Type":$type, "::llvm::StringRef":$name), [{
    build($_builder, $_state, type, $_builder.getStringAttr(name), nullptr,
          nullptr);
  }]>];
  let hasVerifier = 1;
}

#endif // TLC_TILE_KERNEL_OPS_TD
