// An NVRTC that is older than any tlc can use: it says so and does nothing.
// With FAKE_NVRTC_LOG it is new enough, and refuses every text with that log.
#include <cstddef>
#include <cstdlib>
#include <cstring>

static const char *refusal() { return std::getenv("FAKE_NVRTC_LOG"); }

// NOLINTBEGIN(readability-identifier-naming): the library's names
extern "C" {
int nvrtcVersion(int *major, int *minor) {
  *major = 12;
  *minor = refusal() ? 8 : 4;
  return 0;
}
const char *nvrtcGetErrorString(int) { return "fake"; }
int nvrtcCreateProgram() { return refusal() ? 0 : 1; }
int nvrtcDestroyProgram() { return refusal() ? 0 : 1; }
int nvrtcCompileProgram() { return 6; } // NVRTC_ERROR_COMPILATION
int nvrtcGetProgramLogSize(void *, std::size_t *size) {
  if (!refusal())
    return 1;
  *size = std::strlen(refusal()) + 1;
  return 0;
}
int nvrtcGetProgramLog(void *, char *log) {
  if (!refusal())
    return 1;
  std::strcpy(log, refusal());
  return 0;
}
int nvrtcGetPTXSize() { return 1; }
int nvrtcGetPTX() { return 1; }
int nvrtcGetCUBINSize() { return 1; }
int nvrtcGetCUBIN() { return 1; }
}
// NOLINTEND(readability-identifier-naming)
