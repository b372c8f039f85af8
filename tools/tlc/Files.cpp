#include "tools/tlc/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace tlc::cli {

using llvm::sys::fs::TempFile;

/// Whether the path is a device, pipe or socket, which must stay what it is.
static bool isSpecial(const std::string &path) {
  llvm::sys::fs::file_status status;
  return !llvm::sys::fs::status(path, status) &&
         llvm::sys::fs::exists(status) &&
         !llvm::sys::fs::is_regular_file(status) &&
         !llvm::sys::fs::is_directory(status);
}

static llvm::Error writeInPlace(const OutputFile &file) {
  std::error_code error;
  llvm::raw_fd_ostream os(file.path, error, llvm::sys::fs::CD_OpenExisting);
  if (!error) {
    os << file.bytes;
    os.close();
    error = os.error();
    os.clear_error();
  }
  return llvm::errorCodeToError(error);
}

/// A temporary file with the bytes, or the reason why there is none.
static llvm::Expected<TempFile> begin(const OutputFile &file) {
  auto temp =
      TempFile::create(file.path + ".%%%%%%.tmp",
                       llvm::sys::fs::all_read | llvm::sys::fs::owner_write);
  if (!temp)
    return temp.takeError();
  llvm::raw_fd_ostream os(temp->FD, /*shouldClose=*/false);
  os << file.bytes;
  os.flush();
  if (!os.has_error())
    return temp;
  std::error_code error = os.error();
  os.clear_error();
  llvm::consumeError(temp->discard());
  return llvm::errorCodeToError(error);
}

bool writeFiles(const std::vector<OutputFile> &files, DiagnosticEngine &diags) {
  std::vector<TempFile> temps;
  std::vector<std::string> targets;
  auto failed = [&](const std::string &path, llvm::Error error) {
    diags.report(Diag::CannotWriteFile) << path << toString(std::move(error));
    for (TempFile &temp : temps)
      llvm::consumeError(temp.discard());
    return false;
  };
  for (const OutputFile &file : files) {
    if (isSpecial(file.path)) {
      if (llvm::Error error = writeInPlace(file))
        return failed(file.path, std::move(error));
      continue;
    }
    auto temp = begin(file);
    if (!temp)
      return failed(file.path, temp.takeError());
    temps.push_back(std::move(*temp));
    targets.push_back(file.path);
  }
  for (size_t i = 0; i < temps.size(); ++i)
    if (llvm::Error error = temps[i].keep(targets[i]))
      return failed(targets[i], std::move(error));
  return true;
}

} // namespace tlc::cli
