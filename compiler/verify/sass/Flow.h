// The control flow of one function of machine code. Where a path may go is
// never understated: what is not known makes the function unreadable.
#ifndef TLC_COMPILER_VERIFY_SASS_FLOW_H
#define TLC_COMPILER_VERIFY_SASS_FLOW_H

#include "compiler/verify/sass/Instruction.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tlc::sass {

class Flow {
public:
  /// Fails with the reason if some branch cannot be followed: a jump to a
  /// place in a register, a branch out of the code, an unknown instruction.
  static llvm::Expected<Flow> build(llvm::ArrayRef<std::uint8_t> code);

  llvm::ArrayRef<Instruction> instructions() const { return list; }
  /// Indices of the instructions that may come next.
  llvm::ArrayRef<unsigned> next(unsigned index) const {
    return llvm::ArrayRef(edges).slice(starts[index],
                                       starts[index + 1] - starts[index]);
  }

private:
  llvm::Error collectPlaces();
  llvm::Error check(unsigned index) const;
  std::optional<unsigned> targetOf(unsigned index) const;
  void connect(unsigned index, llvm::SmallVectorImpl<unsigned> &to) const;

  std::vector<Instruction> list;
  /// Of instruction i: edges[starts[i]] to edges[starts[i + 1] - 1].
  std::vector<unsigned> edges, starts;
  /// Where calls go on when they return, and where each of 16 convergence
  /// barriers lets its threads go on.
  std::vector<unsigned> returns;
  std::vector<unsigned> meetings[16];
};

/// "0x1380": where the instruction stands in its function.
std::string offsetText(unsigned index);

} // namespace tlc::sass

#endif // TLC_COMPILER_VERIFY_SASS_FLOW_H
