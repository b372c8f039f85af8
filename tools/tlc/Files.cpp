#include "tools/tlc/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace tlc::cli {

using llvm::sys::fs::TempFile;

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
  auto failed = [&](const std::string &path, llvm::Error error) {
    diags.report(Diag::CannotWriteFile) << path << toString(std::move(error));
    for (TempFile &temp : temps)
      llvm::consumeError(temp.discard());
    return false;
  };
  for (const OutputFile &file : files) {
    auto temp = begin(file);
    if (!temp)
      return failed(file.path, temp.takeError());
    temps.push_back(std::move(*temp));
  }
  for (size_t i = 0; i < files.size(); ++i) {
    llvm::Error error = temps[i].keep(files[i].path);
    if (error)
      return failed(files[i].path, std::move(error));
  }
  return true;
}

} // namespace tlc::cli
