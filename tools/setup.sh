# Sourced by demo.sh and test.sh: makes the machine able to build Kleene, then builds it in build/release.
#
#   set_up [package...]   installs what is missing with apt-get, the extra packages included; silent when nothing is
#   build [-Doption...] [target...]   configures and builds in $build_folder; no target: everything. In the environment,
#                         KLEENE_GPU_TESTS=ON builds the tests that need a GPU where there is none, too
#   gpu_at_hand           whether there is a GPU that Kleene can use, and an nvcc to build for it
#   for_this_processor    an option of CMake's: kernels for the instructions of this machine's processor alone
#   python_options        what build is told about the Python package, an option a line: to build it, or to leave it
#                         out where it cannot be built. Makes build/venv, with what its tests need from PyPI, once
#
# All work in the root of the repository (the caller has changed to it), write their logs to build/*.log and show them
# only on failure. When nothing is missing no network is touched.

build_folder=build/release
compiler=${CXX:-g++}

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# at_least 3.22 "cmake version 3.25.1": whether the first number in the text is at least that version.
at_least() {
  local found
  found=$(grep -oE '[0-9]+(\.[0-9]+)*' <<<"$2" | head -n 1) || return 1
  [[ $(printf '%s\n' "$1" "$found" | sort -V | head -n 1) == "$1" ]]
}

has_compiler() {
  command -v "$compiler" >/dev/null || return 1
  [[ $compiler != g++ ]] || at_least 11 "$(g++ -dumpfullversion)"
}
has_cmake() { command -v cmake >/dev/null && at_least 3.22 "$(cmake --version)"; }
has_package() { [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == *" installed" ]]; }

# The packages that this machine lacks, one a line. A tool that is there counts, whoever installed it.
missing_packages() {
  has_compiler || echo g++
  has_cmake || echo cmake
  command -v ninja >/dev/null || echo ninja-build
  command -v dpkg-query >/dev/null || return 0  # elsewhere CMake says which library it does not find
  local package
  for package in libfmt-dev libcli11-dev zlib1g-dev "$@"; do
    has_package "$package" || echo "$package"
  done
}

# With these the tests of grids run under mpirun, too: ./test.sh --with-mpi.
mpi_packages=(libopenmpi-dev openmpi-bin)

needs="Kleene needs g++ 11 or newer, CMake 3.22 or newer, Ninja, and the development files of fmt, CLI11 and zlib; \
its tests need Python 3 with NumPy and GoogleTest, too."

# Debian 11 and Ubuntu 20.04 have g++ 10 and 9, and a CMake below 3.22.
refuse_old_release() {
  local id='' version='' oldest
  [[ -r /etc/os-release ]] && read -r id version < <(. /etc/os-release && echo "$ID ${VERSION_ID:-}")
  case $id in
    debian) oldest=12 ;;
    ubuntu) oldest=22.04 ;;
    *) return 0 ;;
  esac
  at_least "$oldest" "${version:-$oldest}" ||
    die "$id $version is too old to build Kleene: use Debian 12 or Ubuntu 22.04, or newer. $needs"
}

set_up() {
  mkdir -p build
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if ! command -v apt-get >/dev/null; then
    ((${#missing[@]} == 0)) || die "There is no apt-get to install what is missing (${missing[*]}). $needs"
    [[ -e $build_folder/build.ninja ]] || say "There is no apt-get here, so nothing is installed. $needs"
    return 0
  fi
  ((${#missing[@]})) || return 0

  case " ${missing[*]} " in *" g++ "* | *" cmake "*) refuse_old_release ;; esac
  local as_root=()
  if ((EUID != 0)); then
    if command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
      as_root=(sudo)
    else
      die "These packages are missing, and installing them takes root or sudo: ${missing[*]}"
    fi
  fi

  command -v ccache >/dev/null || missing+=(ccache)
  say "Installing ${missing[*]}"
  local get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
  logged setup "${get[@]}" update
  logged setup "${get[@]}" install -y --no-install-recommends "${missing[@]}"
  has_compiler && has_cmake || die "$needs The ones installed here are older."
}

# logged NAME command...: runs it with its output in build/NAME.log; on failure shows the log and exits. On a terminal,
# Ninja's counter runs along.
logged() {
  local log=build/$1.log
  shift
  "$@" 2>&1 | while IFS= read -r line; do
    printf '%s\n' "$line"
    if [[ -t 2 && $line == '['*/*']'* ]]; then printf '\r  %s' "${line%%]*}]" >&2; fi
  done >"$log" || { say ""; cat "$log" >&2; die "'$*' failed; its output is above and in $log"; }
  [[ -t 2 ]] && printf '\r\033[K' >&2
  return 0
}

# The compute capability of the newest GPU here, or nothing.
newest_gpu() {
  command -v nvidia-smi >/dev/null || return 0
  { nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
    grep -oE '^[0-9]+\.[0-9]+' | sort -V | tail -n 1; } || true
}
gpu_at_hand() {
  command -v nvcc >/dev/null && at_least 12.3 "$(nvcc --version | grep release)" && at_least 8.0 "$(newest_gpu)"
}

# The first Python with the headers that an extension is compiled with.
python_with_headers() {
  local python
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import os, sys, sysconfig, venv
sys.exit(sys.version_info < (3, 10) or not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' && break
  done && echo "$python"
}

python_options() {
  local folder=build/venv needs=apps/python/tests/requirements.txt
  if ! cmp -s "$needs" "$folder/requirements.txt"; then
    [[ -e $folder ]] || say "Fetching what the Python package is tested with"
    { "$(python_with_headers)" -m venv --clear "$folder" &&
      "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$needs" &&
      cp "$needs" "$folder/requirements.txt"; } >build/python.log 2>&1 || {
      say "The Python package is left out: it takes Python 3.10 with headers and venv, and PyPI (build/python.log)."
      echo -DKLEENE_PYTHON=OFF
      return 0
    }
  fi
  printf '%s\n' -DKLEENE_PYTHON=ON "-DPython_EXECUTABLE=$PWD/$folder/bin/python"
}

# An option: kernels for the instructions of this machine's processor alone, in place of three sets, of which it runs
# one.
for_this_processor() {
  local known need set
  [[ $(uname -sm) == "Linux x86_64" ]] || return 0
  known=" $(grep -m 1 '^flags' /proc/cpuinfo) "
  for set in "avx512 avx512f avx512dq avx512bw avx512vl avx2 fma bmi2" "avx2 avx2 fma bmi2" baseline; do
    for need in ${set#* }; do
      [[ $need == baseline || $known == *" $need "* ]] || continue 2
    done
    echo "-DKLEENE_INSTRUCTION_SET=${set%% *}"
    return
  done
}

build() {
  local options=(${KLEENE_GPU_TESTS:+"-DKLEENE_GPU_TESTS=$KLEENE_GPU_TESTS"}) targets=()
  while [[ ${1-} == -D* ]]; do options+=("$1"); shift; done
  command -v ccache >/dev/null &&
    options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
  (($#)) && targets=(--target "$@")
  if [[ ! -e $build_folder/build.ninja ]]; then
    local newest
    newest=$(newest_gpu)
    [[ -z $newest ]] || at_least 8.0 "$newest" ||
      say "The GPU here has compute capability $newest; Kleene uses 8.0 (Ampere) and later: this is built for the CPU."
    say "Building Kleene (a few minutes the first time)"
  fi
  # GCC looks for memory to use again once it has 256 MiB, not 128: 4 to 10 % of its time, for 170 MiB of 700 at most.
  local flags=${CXXFLAGS-}
  if [[ $compiler == g++ ]]; then flags+=' --param ggc-min-heapsize=262144'; fi
  logged configure env CXXFLAGS="$flags" cmake -S . -B "$build_folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    "${options[@]}"
  # ccache asks the compiler which headers it read, in place of preprocessing every unit first: 5 % of a first build.
  logged build env CCACHE_DEPEND=1 cmake --build "$build_folder" -j "$(nproc)" "${targets[@]}"
}
