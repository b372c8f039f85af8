// Thread blocks of many shapes, how many of them a device holds, and the
// tensors of one launch.
#pragma once

#include "kernels/harness/Report.h"
#include "kernels/harness/Variants.h"
#include "runtime/core/Residency.h"

#include <array>
#include <span>
#include <string>

namespace tlc::kernels {

/// Threads of a block in x, y and z.
using BlockShape = std::array<int, 3>;

/// In most of them several threads have x = 0; in some none but one has y = 0
/// or z = 0, and in some the last warp is not full.
std::span<const BlockShape> blockShapes();

/// "32x2x1".
std::string nameOf(const BlockShape &shape);
/// `clock` chooses how late blocks wait: device clocks, or turns of a loop that
/// the CPU can run, too.
Variant variantOf(const BlockShape &shape, bool clock);

/// How many blocks of `variant` the device holds at once, from its cubin and
/// the driver, on a way that no launch takes.
rt::Residency residencyOfVariant(const Options &options,
                                 const Variant &variant);
/// Compares the figures that the compiler recorded for `variant` with those of
/// the loaded module. Empty when they agree, else what differs.
std::string compareResources(const Options &options, const Variant &variant);

/// The operands of one launch with everything cleared; block `late` waits for
/// `delay` clocks or turns before it writes.
std::vector<Operand> clearedOperands(std::int64_t blocks, std::int64_t rounds,
                                     std::int64_t late, std::int64_t delay);
/// Compares A and B with what `launches` launches must leave. "" when they
/// agree, else the first difference.
std::string compareResult(const rt::HostTensor &a, const rt::HostTensor &b,
                          std::int64_t rounds, std::int64_t launches);

} // namespace tlc::kernels
