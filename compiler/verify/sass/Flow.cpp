// Calls are followed without a stack: a return goes on behind every call. A
// BSYNC goes on behind itself and at the place of every BSSY of its barrier.
#include "compiler/verify/sass/Flow.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace tlc::sass {

std::string offsetText(unsigned index) {
  return "0x" + utohexstr(std::uint64_t(index) * kInstructionBytes,
                          /*LowerCase=*/true);
}

Expected<Flow> Flow::build(ArrayRef<std::uint8_t> code) {
  if (code.size() % kInstructionBytes != 0)
    return createStringError("its code does not end with an instruction");
  Flow flow;
  flow.list.reserve(code.size() / kInstructionBytes);
  for (std::size_t at = 0; at < code.size(); at += kInstructionBytes)
    flow.list.push_back(decode(support::endian::read64le(&code[at]),
                               support::endian::read64le(&code[at + 8])));
  if (Error error = flow.collectPlaces())
    return std::move(error);
  SmallVector<unsigned> to;
  for (unsigned i = 0; i < flow.list.size(); ++i) {
    flow.starts.push_back(flow.edges.size());
    to.clear();
    flow.connect(i, to);
    llvm::sort(to);
    to.erase(llvm::unique(to), to.end());
    flow.edges.insert(flow.edges.end(), to.begin(), to.end());
  }
  flow.starts.push_back(flow.edges.size());
  return flow;
}

/// The instruction that a distance leads to, if it is one of this code.
std::optional<unsigned> Flow::targetOf(unsigned index) const {
  std::int64_t at =
      std::int64_t(index) * kInstructionBytes + *list[index].distance;
  if (at < 0 || at % kInstructionBytes != 0 ||
      at / kInstructionBytes >= static_cast<std::int64_t>(list.size()))
    return std::nullopt;
  return static_cast<unsigned>(at / kInstructionBytes);
}

Error Flow::check(unsigned index) const {
  const Instruction &instruction = list[index];
  if (instruction.isNever())
    return Error::success();
  if (instruction.kind == Kind::Unknown)
    return createStringError(
        "the instruction at " + offsetText(index) + ", opcode 0x" +
        utohexstr(instruction.opcode, true) + ", is not known");
  if (instruction.distance && !targetOf(index))
    return createStringError("the branch at " + offsetText(index) +
                             " leaves the function");
  return Error::success();
}

Error Flow::collectPlaces() {
  for (unsigned i = 0; i < list.size(); ++i) {
    if (Error error = check(i))
      return error;
    const Instruction &instruction = list[i];
    if (instruction.isNever())
      continue;
    if (instruction.kind == Kind::Call && i + 1 < list.size())
      returns.push_back(i + 1);
    if (instruction.kind == Kind::Enter)
      meetings[instruction.convergence].push_back(*targetOf(i));
  }
  return Error::success();
}

void Flow::connect(unsigned index, SmallVectorImpl<unsigned> &to) const {
  const Instruction &instruction = list[index];
  bool falls = true;
  switch (instruction.isNever() ? Kind::Other : instruction.kind) {
  case Kind::Branch:
  case Kind::Call:
    to.push_back(*targetOf(index));
    falls = !instruction.isAlways() || !instruction.unconditional;
    break;
  case Kind::Exit:
    falls = !instruction.isAlways() || !instruction.unconditional;
    break;
  case Kind::Return:
    llvm::append_range(to, returns);
    falls = !instruction.isAlways();
    break;
  case Kind::Meet:
    llvm::append_range(to, meetings[instruction.convergence]);
    break;
  case Kind::Collective:
    to.push_back(*targetOf(index));
    break;
  default:
    break;
  }
  if (falls && index + 1 < list.size())
    to.push_back(index + 1);
}

} // namespace tlc::sass
