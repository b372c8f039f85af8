// Which tensors of a kernel its caller may leave to be allocated.
#pragma once

#include "compiler/frontend/elaborate/Elaborator.h"

namespace tlc::frontend {

/// Puts `tile.outputs` on `kernel`: the positions of the parameters that
/// `out_idx` of `@tilelang.jit` on `def` names or, in the eager style, of the
/// T.empty tensors, in the order in which they are returned. Reports an
/// `out_idx` that names no tensor, or one twice.
void markOutputs(Elaborator &e, const ast::FunctionDef *def,
                 tile::KernelOp kernel, bool isEager);

} // namespace tlc::frontend
