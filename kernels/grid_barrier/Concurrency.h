// Launches of one grid-synchronised kernel that may overlap: they must not meet
// in each other's barrier.
#pragma once

#include "kernels/grid_barrier/Shapes.h"

namespace tlc::kernels {

/// Two streams launch the same kernel many times, side by side.
void checkStreams(const Options &options, Report &report);
/// A graph with a launch on each of two parallel branches, replayed.
void checkGraphs(const Options &options, Report &report);
/// A grid of one block more than fit is refused with both numbers.
void checkTooLarge(const Options &options, Report &report);

} // namespace tlc::kernels
