# shellcheck shell=bash
# Shared by tools/quickstart and tools/test: installs what is missing, finds or
# fetches NVRTC, configures and builds. Every step can run again and is quick
# when there is nothing to do. Sourced, not run.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/build/dev
logs=$root/build/logs
nvrtc_dir=$root/build/nvrtc
step_number=0

# What a build and its tests need; what only tools/dev/check needs is there.
packages=(
  cmake ninja-build ccache clang-22 lld-22 llvm-22-dev llvm-22-tools
  mlir-22-tools libmlir-22-dev libfmt-dev nlohmann-json3-dev catch2 zlib1g-dev
  libzstd-dev libstdc++-12-dev python3
)

# step TEXT: announces the next step.
step() {
  step_number=$((step_number + 1))
  printf '\n[%d] %s\n' "$step_number" "$*"
}

say() { printf '    %s\n' "$*"; }

# fail WHAT HINT...: says what went wrong and what to do; ends with exit code 3
# (environment).
fail() {
  printf '\nerror: %s\n' "$1" >&2
  shift
  printf 'help: %s\n' "$@" >&2
  exit 3
}

# logged NAME COMMAND...: runs quietly into build/logs/NAME.log, with the elapsed
# seconds on a terminal; shows the end of the log if the command fails.
logged() {
  local log=$logs/$1.log pid begin=$SECONDS status=0
  shift
  mkdir -p "$logs"
  "$@" >"$log" 2>&1 &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    if [[ -t 1 ]]; then
      printf '\r    %ds  %.60s\033[K' $((SECONDS - begin)) \
        "$(tail -n 1 "$log" | tr -d '\r')"
    fi
    sleep 0.5
  done
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
  wait "$pid" || status=$?
  if ((status != 0)); then
    tail -n 25 "$log" >&2
    say "the whole log: $log"
  fi
  return "$status"
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "installing packages needs root, and there is no sudo" \
      "run this as root once, or install: ${packages[*]}"
  fi
}

is_installed() {
  dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# install_packages NAME...: installs those that are missing.
install_packages() {
  local missing=() name
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here: taking what is installed"
    return 0
  fi
  for name in "$@"; do
    is_installed "$name" || missing+=("$name")
  done
  if ((${#missing[@]} == 0)); then
    say "all there"
    return 0
  fi
  say "installing ${missing[*]}"
  local apt=(as_root env DEBIAN_FRONTEND=noninteractive apt-get -y
    -o Dpkg::Use-Pty=0 -o Acquire::Retries=3)
  logged apt-update "${apt[@]}" update ||
    say "apt-get update failed; trying with the lists that are there"
  logged apt-install "${apt[@]}" install --no-install-recommends \
    "${missing[@]}" ||
    fail "some packages cannot be installed" \
      "LLVM and MLIR 22 are in Debian 12's security suite: check that" \
      "'bookworm-security main' is in /etc/apt/sources.list*, or add LLVM's own" \
      "apt repository, then run this again" \
      "missing: ${missing[*]}"
}

# Tools that the build calls by name, for systems without apt.
check_tools() {
  local tool
  for tool in cmake ninja clang++-22 python3; do
    command -v "$tool" >/dev/null || fail "$tool is not on the PATH" \
      "install CMake 3.25, Ninja, Clang, LLVM and MLIR 22, fmt 9, Catch2 2.13;" \
      "if LLVM is not in /usr/lib/llvm-22, set MLIR_DIR to its lib/cmake/mlir"
  done
}

# The first libnvrtc of: TLC_NVRTC, build/nvrtc, the CUDA toolkit, the loader's
# own path.
find_nvrtc() {
  local candidate
  for candidate in "${TLC_NVRTC:-}" "$nvrtc_dir"/libnvrtc.so.1? \
    "${CUDA_HOME:-/usr/local/cuda}"/lib64/libnvrtc.so.1? \
    "${CUDA_HOME:-/usr/local/cuda}"/targets/x86_64-linux/lib/libnvrtc.so.1? \
    "$(ldconfig -p 2>/dev/null | awk '/libnvrtc\.so\.1/ {print $NF; exit}')"; do
    if [[ -n $candidate && -e $candidate ]]; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

# setup_nvrtc: finds NVRTC or fetches NVIDIA's wheel into build/nvrtc. Nothing
# needs it to print CUDA or to run on the CPU, so its absence is no error here.
setup_nvrtc() {
  local wheels=$nvrtc_dir/wheels
  if ! find_nvrtc >/dev/null; then
    say "no CUDA toolkit here: fetching NVRTC 13.0 (60 MB) from PyPI"
    python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip
    mkdir -p "$wheels"
    if logged nvrtc python3 -m pip download --no-deps --disable-pip-version-check \
      --only-binary=:all: -d "$wheels" 'nvidia-cuda-nvrtc==13.0.*'; then
      # A wheel is a zip file; only the libraries are wanted.
      python3 - "$wheels" "$nvrtc_dir" <<'UNPACK'
import pathlib, sys, zipfile

wheels, target = map(pathlib.Path, sys.argv[1:])
for wheel in sorted(wheels.glob("*.whl")):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if "/lib/lib" in name and ".alt." not in name:
                data = archive.read(name)
                (target / pathlib.Path(name).name).write_bytes(data)
UNPACK
      rm -rf "$wheels"
    else
      say "NVRTC could not be fetched: everything but cubins works without it."
      say "To have it: install a CUDA 12.8+ toolkit, or put libnvrtc.so.13 and"
      say "libnvrtc-builtins.so.13.* into $nvrtc_dir, or set TLC_NVRTC to its path"
      return 0
    fi
  fi
  TLC_NVRTC=$(find_nvrtc)
  export TLC_NVRTC
  say "NVRTC: $TLC_NVRTC"
}

# has_gpu: whether a CUDA driver with a device answers.
has_gpu() {
  python3 - <<'PROBE' 2>/dev/null
import ctypes, sys

driver = ctypes.CDLL("libcuda.so.1")
count = ctypes.c_int(0)
ok = driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
sys.exit(0 if ok and count.value > 0 else 1)
PROBE
}

# run_build TARGET...: configures once, then builds; Ninja shows the progress.
run_build() {
  cd "$root"
  if [[ ! -f $build/build.ninja ]]; then
    logged configure cmake --preset dev ||
      fail "CMake cannot configure the build" "see the lines above"
  fi
  NINJA_STATUS='    [%f/%t %es] ' ninja -C "$build" "$@" ||
    fail "the build failed" "see the compiler's message above"
}

# prepare TARGET...: everything up to a finished build.
prepare() {
  step "Packages"
  install_packages "${packages[@]}"
  check_tools
  step "NVRTC (CUDA's run-time compiler)"
  setup_nvrtc
  step "Build (${build#"$root"/})"
  run_build "$@"
}
