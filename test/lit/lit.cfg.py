"""The lit suite: .mlir through tlc-opt, .tl through tlc, both into FileCheck.

Features: `tlc`, `tlc-opt` (built), `nvrtc` (libnvrtc loads, no GPU needed),
`fake-nvrtc` (that of the unit tests is built), `gpu` (a CUDA driver with a
device). Tests ask with `REQUIRES:`.
"""

import ctypes
import glob
import os
import sys

import lit.formats

config.name = "tlc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".tl", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tlc_build_dir, "test", "lit")

path = [config.tlc_bin_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
config.environment["LC_ALL"] = "C.UTF-8"
# Where NVRTC is, and a cache that no other run shares.
for name in ("TLC_NVRTC", "LD_LIBRARY_PATH", "CUDA_HOME", "ASAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["TLC_CACHE_DIR"] = os.path.join(
    config.tlc_build_dir, "test", "cache"
)

config.substitutions.append(("%kernels", f"{config.tlc_source_dir}/kernels"))
config.substitutions.append(("%source", config.tlc_source_dir))
config.substitutions.append(("%{bin}", config.tlc_bin_dir))
fakes = os.path.join(config.tlc_build_dir, "test/unit/runtime-jit/fakes")
config.substitutions.append(("%{fakes}", fakes))
if os.path.exists(f"{fakes}/nvrtc/libnvrtc.so.12"):
    config.available_features.add("fake-nvrtc")
config.substitutions.append(("%{python}", sys.executable))
config.substitutions.append(("%tlc", os.path.join(config.tlc_bin_dir, "tlc")))

for tool in ("tlc", "tlc-opt"):
    if os.path.exists(os.path.join(config.tlc_bin_dir, tool)):
        config.available_features.add(tool)
# A file without its tool cannot run: leave out what needs a tool not built.
if "tlc-opt" not in config.available_features:
    config.suffixes.remove(".mlir")
if "tlc" not in config.available_features:
    config.suffixes.remove(".tl")


def loads(names):
    """Whether the dynamic loader takes one of these libraries."""
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def nvrtc_names():
    """The places where the compiler looks for NVRTC, in its order."""
    names = []
    if os.environ.get("TLC_NVRTC"):
        names.append(os.environ["TLC_NVRTC"])
    folders = [os.path.join(config.tlc_source_dir, "build", "nvrtc")]
    for home in (os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if home:
            folders += [f"{home}/lib64", f"{home}/targets/x86_64-linux/lib"]
    for folder in folders:
        names += sorted(glob.glob(f"{folder}/libnvrtc.so*"), reverse=True)
    return names + ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"]


def has_gpu():
    driver = loads(["libcuda.so.1"])
    count = ctypes.c_int(0)
    return bool(
        driver
        and driver.cuInit(0) == 0
        and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
        and count.value > 0
    )


if loads(nvrtc_names()):
    config.available_features.add("nvrtc")
if has_gpu():
    config.available_features.add("gpu")
