# Finds what tlc builds with: LLVM/MLIR 22, fmt, Catch2 (tests), CUDA headers
# (optional), ccache. Nothing here links the CUDA driver or NVRTC: both are
# loaded at run time.
find_program(TLC_CCACHE ccache)
if(TLC_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TLC_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${TLC_CCACHE}")
endif()

# Debian ships lit-22 without llvm-lit; LLVM's package asks for it by path.
find_program(TLC_LIT NAMES lit-22 lit PATHS /usr/lib/llvm-22/bin)
if(TLC_LIT)
  set(LLVM_EXTERNAL_LIT "${TLC_LIT}")
endif()

# LLVM's version files accept only an equal minor version, so check it here.
find_package(MLIR REQUIRED CONFIG
  HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "tlc needs LLVM and MLIR 22, found ${LLVM_VERSION} "
    "in ${LLVM_DIR}; set -DMLIR_DIR=<llvm 22>/lib/cmake/mlir")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

find_package(fmt REQUIRED)
find_package(Threads REQUIRED)

# What LLVM's archives use, as archives too: the release binary needs libc and
# libm only.
if(TLC_STATIC)
  find_library(TLC_ZLIB_A NAMES libz.a REQUIRED)
  find_library(TLC_ZSTD_A NAMES libzstd.a REQUIRED)
  set(TLC_STATIC_DEPS ${TLC_ZLIB_A} ${TLC_ZSTD_A} dl Threads::Threads m)
endif()

# lld links the static binary in seconds; only clang knows --ld-path.
find_program(TLC_LLD NAMES ld.lld-22 ld.lld)
if(TLC_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options("--ld-path=${TLC_LLD}")
endif()
add_link_options(-Wl,--gc-sections)
add_compile_options(-ffunction-sections -fdata-sections)
