#!/usr/bin/env bash
# Builds everything and runs every test. Arguments go to ctest: ./test.sh -R gemm
# Sets the machine up first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. tools/setup.sh

set_up python3-numpy
build

ctest --test-dir "$build_folder" --output-on-failure -j "$(nproc)" "$@"
