// Phrases that all forms of an explanation share.
#pragma once

#include "compiler/explain/Explanation.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tlc::explain {

/// "warp-specialized", "with loads ahead ..." for the name of a plan.
std::string describePlan(const Loop &loop);
/// "128x32 bfloat16, 64-byte swizzle".
std::string describeTile(const Tile &tile);
/// "generic proxy" or "async proxy".
llvm::StringRef describeProxy(const Access &access);
/// "warps 0-3".
std::string describeWarps(const Role &role);
/// "under the if at line 3", or nothing.
std::string describeGuards(const Access &access);
/// What a fence decision means: "fence.proxy.async before the release".
std::string describeFence(const Span &span);
/// "4 arrivals, one a warp of 'consumer'".
std::string describeArrivals(const Mbarrier &barrier, bool full);
/// One line for an action: what is executed.
std::string describeAction(const Action &action);
/// Why it is there, or nothing.
std::string describeReason(const Action &action);
/// ", in 4 pieces", or nothing.
std::string describePieces(const Action &action);
/// Where a fence or barrier stands: "after the T.copy at line 3".
std::string describePosition(const Action &action);
/// "kept until the T.copy at line 3; a proxy fence by the readers, since ...".
std::string describeHandOver(const Ring &ring, const Span &span);
/// What else the fence of a slot is for, as a sentence, or nothing.
std::string describeFenceElse(const Span &span);
/// "256 of the program, 288 with those that load".
std::string describeThreads(const Launch &launch);
/// "setmaxnreg 240", or "as compiled, at most 255".
std::string describeRegisters(const Role &role, const Launch &launch);
/// Accesses of one statement to several tiles as one, whose tile is "a', 'b".
std::vector<Access> mergeTiles(llvm::ArrayRef<Access> accesses);
/// What a role does with rings: "fills 'a', uses 'b'".
std::string describeDuties(const Role &role, const Launch &launch);
/// Barriers and fences that order a tile outside of rings.
std::vector<const Action *> findOrder(const LocalTile &local,
                                      const Launch &launch);
/// Whether the statement stands in the source, else the compiler added it.
bool isOfProgram(const Action &action);

/// A paragraph that helps to read an explanation.
struct Note {
  std::string title, text;
};
/// The notes that `explanation` gives reason for.
std::vector<Note> makeNotes(const Explanation &explanation);

/// "1 slot", "2 slots".
std::string count(std::int64_t number, llvm::StringRef noun);
/// "T.copy at line 12"; without a line the name alone.
std::string describeStatement(const Statement &statement);

/// Words of `text` in lines of at most `width` columns, at least one line; a
/// longer word is cut.
std::vector<std::string> wrap(llvm::StringRef text, size_t width);

} // namespace tlc::explain
