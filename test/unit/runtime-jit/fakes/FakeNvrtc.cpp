// An NVRTC that is older than any tlc can use: it says so and does nothing.
// NOLINTBEGIN(readability-identifier-naming): the library's names
extern "C" {
int nvrtcVersion(int *major, int *minor) {
  *major = 12;
  *minor = 4;
  return 0;
}
const char *nvrtcGetErrorString(int) { return "fake"; }
int nvrtcCreateProgram() { return 1; }
int nvrtcDestroyProgram() { return 1; }
int nvrtcCompileProgram() { return 1; }
int nvrtcGetProgramLogSize() { return 1; }
int nvrtcGetProgramLog() { return 1; }
int nvrtcGetPTXSize() { return 1; }
int nvrtcGetPTX() { return 1; }
int nvrtcGetCUBINSize() { return 1; }
int nvrtcGetCUBIN() { return 1; }
}
// NOLINTEND(readability-identifier-naming)
