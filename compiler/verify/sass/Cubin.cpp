// Reading of cubins with LLVM's ELF reader, which checks all bounds.
#include "compiler/verify/sass/Cubin.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tlc::sass {

const CubinFunction *Cubin::find(StringRef name) const {
  for (const CubinFunction &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

/// The number of the architecture. Its place in the flags depends on the
/// version of the ABI: the low byte up to 7, the second one from 8 on.
static unsigned architectureOf(const object::ELF64LE::Ehdr &header) {
  unsigned flags = header.e_flags;
  return header.e_ident[ELF::EI_ABIVERSION] >= 8 ? flags >> 8 & 0xff
                                                 : flags & 0xff;
}

static Error damaged(const Twine &why) {
  return createStringError("not a cubin: " + why);
}

/// LLVM reads headers in place, so they must be aligned.
static bool isAligned(StringRef bytes) {
  return reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 == 0;
}

Expected<Cubin> readCubin(StringRef bytes) {
  if (!isAligned(bytes))
    return damaged("the bytes are not aligned");
  auto file = object::ELFFile<object::ELF64LE>::create(bytes);
  if (!file)
    return damaged(toString(file.takeError()));
  const auto &header = file->getHeader();
  if (header.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      header.e_machine != ELF::EM_CUDA)
    return damaged("the file is for another machine");
  Cubin cubin;
  cubin.sm = architectureOf(header);
  auto sections = file->sections();
  if (!sections)
    return damaged(toString(sections.takeError()));
  for (const auto &section : *sections) {
    auto name = file->getSectionName(section);
    if (!name)
      return damaged(toString(name.takeError()));
    if (section.sh_type != ELF::SHT_PROGBITS || !name->consume_front(".text."))
      continue;
    auto code = file->getSectionContents(section);
    if (!code)
      return damaged(toString(code.takeError()));
    cubin.functions.push_back({name->str(), *code});
  }
  return cubin;
}

} // namespace tlc::sass
