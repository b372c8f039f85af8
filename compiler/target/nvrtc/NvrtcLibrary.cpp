#include "compiler/target/nvrtc/NvrtcLibrary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>

#include <dlfcn.h>

using namespace llvm;

namespace tlc::nvrtc {
namespace {

// --minimal and sm_90a cubins with the figures we read came with 12.8.
constexpr int kOldest[] = {12, 8};
constexpr StringLiteral kSonames[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                      "libnvrtc.so"};

std::string childOf(const Twine &folder, const Twine &name) {
  SmallString<256> path;
  sys::path::append(path, folder, name);
  return std::string(path);
}

/// Folders under `root`, a toolkit, that may hold the library.
void addToolkit(std::vector<std::string> &folders, const std::string &root) {
  for (StringRef sub :
       {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
    folders.push_back(childOf(root, sub));
}

/// /usr/local/cuda first, then /usr/local/cuda-X.Y, the newest first.
std::vector<std::string> installedToolkits() {
  std::vector<std::pair<std::pair<int, int>, std::string>> versioned;
  std::error_code error;
  for (sys::fs::directory_iterator it("/usr/local", error), end;
       it != end && !error; it.increment(error)) {
    StringRef name = sys::path::filename(it->path());
    if (!name.consume_front("cuda-"))
      continue;
    auto [majorText, minorText] = name.split('.');
    int major = 0, minor = 0;
    if (!majorText.getAsInteger(10, major)) {
      minorText.getAsInteger(10, minor);
      versioned.push_back({{major, minor}, it->path()});
    }
  }
  llvm::sort(versioned, std::greater<>());
  std::vector<std::string> roots{"/usr/local/cuda"};
  for (auto &entry : versioned)
    roots.push_back(entry.second);
  return roots;
}

/// Folders near the executable: a bundle, and where the set-up script unpacks
/// NVIDIA's wheels.
void addNearExecutable(std::vector<std::string> &folders) {
  static int anchor = 0;
  std::string program = sys::fs::getMainExecutable("tlc", &anchor);
  StringRef bin = sys::path::parent_path(program);
  StringRef root = sys::path::parent_path(bin);
  for (StringRef base : {bin, root, sys::path::parent_path(root)}) {
    if (base.empty())
      continue;
    folders.push_back(childOf(base, "nvrtc"));
    for (StringRef wheel :
         {"nvrtc/nvidia/cu13/lib", "nvrtc/nvidia/cuda_nvrtc/lib"})
      folders.push_back(childOf(base, wheel));
  }
  folders.push_back(childOf(root, "lib"));
}

std::vector<std::string> searchFolders() {
  std::vector<std::string> folders;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> root = sys::Process::GetEnv(variable))
      addToolkit(folders, *root);
  for (const std::string &root : installedToolkits())
    addToolkit(folders, root);
  addNearExecutable(folders);
  return folders;
}

/// Outside the search path, the library does not find its companion by itself:
/// one that is loaded already is taken.
void loadBuiltins(StringRef folder) {
  std::error_code error;
  for (sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error))
    if (sys::path::filename(it->path()).starts_with("libnvrtc-builtins.so"))
      dlopen(it->path().c_str(), RTLD_NOW | RTLD_GLOBAL);
}

std::string findIncludeDir(StringRef libraryPath) {
  StringRef folder = sys::path::parent_path(libraryPath);
  for (int level = 0; level < 4 && !folder.empty(); ++level) {
    std::string include = childOf(folder, "include");
    if (sys::fs::exists(childOf(include, "cuda_fp16.h")))
      return include;
    folder = sys::path::parent_path(folder);
  }
  return "";
}

template <class Function>
bool resolve(void *handle, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

bool resolveAll(void *handle, Library &library) {
  return resolve(handle, "nvrtcVersion", library.version) &&
         resolve(handle, "nvrtcGetErrorString", library.errorString) &&
         resolve(handle, "nvrtcCreateProgram", library.createProgram) &&
         resolve(handle, "nvrtcDestroyProgram", library.destroyProgram) &&
         resolve(handle, "nvrtcCompileProgram", library.compileProgram) &&
         resolve(handle, "nvrtcGetProgramLogSize", library.logSize) &&
         resolve(handle, "nvrtcGetProgramLog", library.log) &&
         resolve(handle, "nvrtcGetPTXSize", library.ptxSize) &&
         resolve(handle, "nvrtcGetPTX", library.ptx) &&
         resolve(handle, "nvrtcGetCUBINSize", library.cubinSize) &&
         resolve(handle, "nvrtcGetCUBIN", library.cubin);
}

/// One search: tries names until a library is good, and remembers what it saw.
class Search {
public:
  bool tryLoad(const std::string &name) {
    bool isPath = StringRef(name).contains('/');
    if (isPath) {
      if (!sys::fs::exists(name))
        return false;
      loadBuiltins(sys::path::parent_path(name));
    }
    void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      if (isPath)
        problems.push_back(dlerror());
      return false;
    }
    Library candidate;
    Version &found = candidate.found;
    if (!resolveAll(handle, candidate) ||
        candidate.version(&found.major, &found.minor) != 0) {
      problems.push_back(name + ": not a complete NVRTC");
      return false;
    }
    Dl_info info{};
    found.path = name;
    if (dladdr(reinterpret_cast<void *>(candidate.version), &info) &&
        info.dli_fname)
      found.path = info.dli_fname;
    if (std::pair(found.major, found.minor) <
        std::pair(kOldest[0], kOldest[1])) {
      tooOld.push_back((Twine(found.path) + " is " + Twine(found.major) + "." +
                        Twine(found.minor))
                           .str());
      return false;
    }
    SmallString<256> real;
    if (!sys::fs::real_path(found.path, real))
      candidate.includeDir = findIncludeDir(real);
    chosen = std::move(candidate);
    return true;
  }

  bool tryFolder(const std::string &folder) {
    folders.push_back(folder);
    return any_of(kSonames, [&](StringRef name) {
      return tryLoad(childOf(folder, name));
    });
  }

  Error failure() const {
    std::string where = pinned.empty()
                            ? "the library search path (libnvrtc.so.13, "
                              "libnvrtc.so.12, libnvrtc.so)"
                            : "TLC_NVRTC=" + pinned;
    for (const std::string &folder : folders)
      where += "\n  " + folder;
    std::string fix =
        "\ninstall a CUDA toolkit of 12.8 or later, or NVIDIA's PyPI wheel "
        "nvidia-cuda-nvrtc, and set TLC_NVRTC to the library or its folder";
    if (!tooOld.empty())
      return make_error<NvrtcError>(
          NvrtcError::Kind::TooOld,
          "NVRTC is too old: 12.8 or later is needed, but " +
              llvm::join(tooOld, ", ") + fix);
    std::string seen;
    for (const std::string &problem : problems)
      seen += "\n  " + problem;
    return make_error<NvrtcError>(
        NvrtcError::Kind::NotFound,
        "NVRTC not found; looked in " + where +
            (seen.empty() ? "" : "\nfound but " + seen) + fix);
  }

  Library chosen;
  std::string pinned; ///< the value of TLC_NVRTC

private:
  std::vector<std::string> folders, problems, tooOld;
};

/// TLC_NVRTC, when set, is the only place: who sets it wants that one.
bool run(Search &search) {
  if (std::optional<std::string> wanted = sys::Process::GetEnv("TLC_NVRTC"))
    if (!wanted->empty()) {
      search.pinned = *wanted;
      return sys::fs::is_directory(*wanted) ? search.tryFolder(*wanted)
                                            : search.tryLoad(*wanted);
    }
  if (any_of(kSonames,
             [&](StringRef name) { return search.tryLoad(name.str()); }))
    return true;
  return any_of(searchFolders(), [&](const std::string &folder) {
    return search.tryFolder(folder);
  });
}

} // namespace

Expected<const Library *> getLibrary() {
  static std::mutex mutex;
  static Library &library = *new Library; // outlives every static
  static std::atomic<bool> ready{false};
  if (ready.load(std::memory_order_acquire))
    return &library;
  std::lock_guard lock(mutex);
  if (ready)
    return &library;
  Search search;
  if (!run(search))
    return search.failure();
  library = std::move(search.chosen);
  ready.store(true, std::memory_order_release);
  return &library;
}

} // namespace tlc::nvrtc
