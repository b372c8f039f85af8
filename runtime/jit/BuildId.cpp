#include "runtime/jit/BuildId.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"

#include <cstdint>
#include <cstring>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

namespace tlc::rt {
namespace {

struct Request {
  std::uintptr_t address;
  std::string id;
};

/// The build id note of a segment of notes, in hexadecimal.
std::string noteOf(const char *notes, std::size_t size) {
  // GNU pads notes to 4 bytes, also in 64-bit files.
  auto padded = [](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes, sizeof(header));
    std::size_t length =
        sizeof(header) + padded(header.n_namesz) + padded(header.n_descsz);
    if (length > size)
      break;
    const char *name = notes + sizeof(header);
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(name, "GNU", 4) == 0) {
      const char *id = name + padded(header.n_namesz);
      return llvm::toHex(llvm::StringRef(id, header.n_descsz), true);
    }
    notes += length;
    size -= length;
  }
  return "";
}

int visit(dl_phdr_info *object, std::size_t, void *data) {
  auto &request = *static_cast<Request *>(data);
  const llvm::ArrayRef<ElfW(Phdr)> headers(object->dlpi_phdr,
                                           object->dlpi_phnum);
  bool holds = llvm::any_of(headers, [&](const ElfW(Phdr) & header) {
    std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    return header.p_type == PT_LOAD && request.address >= begin &&
           request.address - begin < header.p_memsz;
  });
  if (!holds)
    return 0;
  for (const ElfW(Phdr) &header : headers)
    if (header.p_type == PT_NOTE && request.id.empty()) {
      std::uintptr_t address = object->dlpi_addr + header.p_vaddr;
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader's interface
      auto *notes = reinterpret_cast<const char *>(address);
      request.id = noteOf(notes, header.p_memsz);
    }
  return 1;
}

std::string identify() {
  Request request{reinterpret_cast<std::uintptr_t>(&buildId), ""};
  dl_iterate_phdr(visit, &request);
  if (!request.id.empty())
    return request.id;
  Dl_info object{};
  struct stat status{};
  if (dladdr(reinterpret_cast<void *>(&buildId), &object) == 0 ||
      stat(object.dli_fname, &status) != 0)
    return __DATE__ " " __TIME__;
  return std::to_string(status.st_size) + "-" +
         std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

} // namespace

const std::string &buildId() {
  static const std::string id = std::string("tlc " TLC_VERSION " llvm ") +
                                LLVM_VERSION_STRING + " " + identify();
  return id;
}

} // namespace tlc::rt
