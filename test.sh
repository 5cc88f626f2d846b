#!/usr/bin/env bash
# Builds everything and runs every test. Arguments go to ctest: ./test.sh -R gemm
# Sets the machine up first. In front of ctest's arguments, in this order:
#   --every-processor   kernels for each instruction set, as they are installed, and not for this processor alone
#   --with-clang        with clang and its OpenMP, too
#   --with-mpi          with OpenMPI, whose mpirun starts the tests of grids once more
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. tools/setup.sh

required=()
packages=(libgtest-dev libeigen3-dev python3-numpy python3-venv python3-dev liblzma-dev libzstd-dev libbz2-dev
  libexpat1-dev)
processor=$(for_this_processor)
if [[ ${1-} == --every-processor ]]; then
  processor=-DKLEENE_INSTRUCTION_SET=
  shift
fi
if [[ ${1-} == --with-clang ]]; then
  packages+=(clang libomp-dev)
  shift
fi
if [[ ${1-} == --with-mpi ]]; then
  packages+=("${mpi_packages[@]}")
  required=(-DCMAKE_REQUIRE_FIND_PACKAGE_MPI=ON)  # or its tests would be skipped where CMake does not find it
  shift
fi
set_up "${packages[@]}"
mapfile -t options < <(python_options)
build ${processor:+"$processor"} "${options[@]}" "${required[@]}"

# One test more than there are processors: some wait for a signal, a disk or a process most of their time.
ctest --test-dir "$build_folder" --output-on-failure -j "$(($(nproc) + 1))" "$@"
