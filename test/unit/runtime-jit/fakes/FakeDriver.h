// What the fake CUDA driver tells a test, beyond the driver's interface.
#pragma once

#include <cstdint>

/// Launches since the last call of `fakeLaunches`.
struct FakeLaunches {
  static constexpr int kMost = 64;
  int count = 0;
  unsigned gridX = 0, gridY = 0; ///< of the last one
  bool cooperative = false;      ///< the last one
  int workspacesMade = 0, workspacesLeft = 0;
  /// Workspaces that were there at every launch.
  int fewestAlive = 1 << 30;
  int pointerQueries = 0; ///< asked where a pointer points
  /// Different values of the first 8 bytes of the first parameter: an address,
  /// or a tensor map, whose fake begins with its address.
  int distinct = 0;
  std::uint64_t first[kMost] = {};
};

/// Hands the notes over and begins anew.
extern "C" void fakeLaunches(FakeLaunches *launches);
