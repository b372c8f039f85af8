// The state of one warp. Private to the library.
//
// A warp is a stack of frames over the structured program. It always stands
// before an event, an operation that others can notice; what is local to the
// warp between two events happens with the first of them. 32 lanes run in
// lockstep under a mask.
#pragma once

#include "compiler/interp/SmClocks.h"
#include "compiler/interp/SmProgram.h"

#include <deque>
#include <functional>
#include <map>

namespace tlc::interp {

constexpr uint32_t kAllLanes = ~0u;

/// A value of a warp: one for each lane, or one for all.
struct Lanes {
  bool uniform = true;
  Cell cell[32];

  Cell get(unsigned lane) const { return cell[uniform ? 0 : lane]; }
  void set(Cell c) {
    uniform = true;
    cell[0] = c;
  }
  /// Makes room for different values.
  void spread() {
    if (uniform)
      std::fill(cell + 1, cell + 32, cell[0]);
    uniform = false;
  }
};

struct Frame {
  enum Kind : uint8_t { Plain, Arm, Loop, Before, After, RoleBody, ElectBody };
  Kind kind = Plain;
  const SmBlock *block = nullptr;
  const SmNode *node = nullptr; ///< whose region this is
  uint32_t pc = 0;
  uint32_t mask = kAllLanes;   ///< active lanes
  uint32_t parent = kAllLanes; ///< active lanes around the operation
};

/// A fragment (the elements this warp's lanes hold, in a whole tile) or the 32
/// private arrays of a thread-private allocation.
struct RegisterTile {
  std::vector<uint8_t> data;
  std::vector<uint8_t> held;               ///< by element; empty: all
  int pendingWrites = 0, pendingReads = 0; ///< of loads that lag
  bool writtenSinceFence = false;          ///< since the last wgmma.fence
  mlir::Operation *accumulating = nullptr; ///< a wgmma not waited for writes it
  mlir::Operation *feeding = nullptr;      ///< a wgmma not waited for reads it
};

/// Bytes of shared memory that a load has asked for and not yet got.
struct Sample {
  std::vector<uint32_t> addresses; ///< of elements
  unsigned size = 0;               ///< of an element
  std::vector<uint8_t> bytes;      ///< as they would be if served now
};

/// A load, or what is computed from loads, that lags.
struct PendingLoad {
  /// Register tiles that are written and read when it is served.
  llvm::SmallVector<uint32_t, 2> writes, reads;
  bool isScalar = false; ///< the value of a single load: see Deferred
  Epoch epoch;           ///< of the read
  llvm::SmallVector<Sample, 2> samples;
  std::function<void(llvm::ArrayRef<Sample>)> finish;
};

/// A scalar operation with an operand that has been loaded and not yet served.
struct Deferred {
  const SmNode *node;
  uint32_t mask;
  uint32_t late = 0; ///< operands to be served, a bit for each
  llvm::SmallVector<Lanes, 3> operands; ///< the others, as they are now
};

/// A warp's share of a wgmma, from issue to retirement.
struct Product {
  const SmNode *node = nullptr;
  uint64_t number = 0; ///< of the warp's products
  Epoch epoch;
  Clock known;
  std::function<void()> compute;
  bool computed = false;
  uint32_t c = 0;
  int32_t a = -1; ///< register tile of A
};
using ProductGroup = std::vector<Product>;

/// The bytes of a slot arrive in pieces, each of them every fourth 16 bytes.
constexpr uint32_t kPieces = 4, kPieceBytes = 16;
constexpr uint32_t kAllPieces = (1 << kPieces) - 1;
/// What lands at once where copies land as late as they can: a part.
constexpr uint32_t kFirstPieces = 0b0101;
/// The piece of a byte of a slot.
constexpr uint32_t pieceOf(uint32_t byte) {
  return byte / kPieceBytes % kPieces;
}

/// A bulk or tensor copy in flight.
struct BulkCopy {
  const SmNode *node = nullptr;
  uint32_t warp = 0;
  Epoch epoch;
  Clock known;
  uint32_t tile = 0;
  int64_t slot = 0;
  uint32_t param = 0;
  llvm::SmallVector<int64_t, 4> coords;
  uint32_t barrier = 0;        ///< loads only
  uint32_t landed = 0;         ///< load: its pieces, a bit for each
  bool read = false;           ///< store: its source has been read
  uint32_t globalAccess = ~0u; ///< number in the history of global memory
};

/// A warp's share of a copy by cp.async.
struct GroupCopy {
  Epoch epoch;
  Clock known;
  ByteRanges ranges;
  std::vector<std::pair<uint32_t, uint8_t>> bytes; ///< what lands where
  bool landed = false;
};

struct Warp {
  uint32_t index = 0;
  uint32_t lanes = kAllLanes; ///< that exist: the last warp may lack some
  std::vector<Frame> frames;
  std::vector<Lanes> values;
  std::vector<uint64_t> counters;
  std::vector<RegisterTile> registers;
  std::vector<PendingLoad> pending;
  std::vector<uint32_t> late;     ///< values that wait for loads ...
  std::vector<Deferred> deferred; ///< ... and how they are computed, in order
  Frontiers frontiers;
  uint32_t time = 0; ///< events so far
  int64_t firstWarp = 0, roleWarps = 0;
  uint32_t storeMask = kAllLanes; ///< lanes that store what copies hold alike
  bool atBarrier = false;
  bool atGrid = false;         ///< waits for the other blocks ...
  uint64_t gridGeneration = 0; ///< ... to move on from here
  bool waiting = false;        ///< seen blocked at the mbarrier before it
  uint64_t waitingSince = 0;   ///< phase then
  int64_t maxRegisters = 0;
  Epoch lastLoad; ///< last read of shared memory by ordinary loads
  // wgmma
  uint64_t productsIssued = 0;
  ProductGroup openProducts;
  std::deque<ProductGroup> productGroups;
  // cp.async
  std::vector<GroupCopy> openCopies;
  std::deque<std::vector<GroupCopy>> copyGroups;
  std::map<std::pair<uint32_t, int64_t>, int64_t> copiesOf; ///< by tile, slot
  // bulk stores
  std::vector<BulkCopy> openStores;
  std::deque<std::vector<BulkCopy>> storeGroups;
  std::vector<uint32_t> openWrites; ///< of global memory, whose reads are over

  bool finished() const { return frames.empty(); }
};

/// The points of a layout that the lanes of one warp visit.
struct WarpPoints {
  unsigned rank = 0;
  int64_t registers = 0;
  std::vector<int32_t> coords;  ///< [register][lane][dimension]
  std::vector<uint32_t> inside; ///< [register]: lanes with a point
  uint32_t primary = kAllLanes; ///< lanes that hold no copies of others'
};

} // namespace tlc::interp
