#!/usr/bin/env bash
# Solves Minnesota's road network: all pairs of its 2642 crossings, and a map with the longest shortest route on it.
# Sets the machine up and builds what is needed first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. tools/setup.sh

(($# == 0)) || die "demo.sh takes no arguments: $*"
set_up
options=()
if [[ ! -x $build_folder/apps/cli/kleene ]]; then  # no ./test.sh before: only what the map needs
  build_folder=build/demo
  options=(-DKLEENE_ALGEBRAS=min_plus -DKLEENE_TESTS=OFF -DKLEENE_EXAMPLES=OFF)
  # Kernels set their own optimisation level; the rest compiles in three quarters of the time with -O1.
  options+=(-DCMAKE_BUILD_TYPE=Demo "-DCMAKE_CXX_FLAGS_DEMO=-O1 -DNDEBUG" "-DCMAKE_CUDA_FLAGS_DEMO=-O1 -DNDEBUG")
  options+=($(for_this_processor))
  gpu_at_hand || options+=(-DKLEENE_CUDA=OFF)
fi
build "${options[@]}" kleene_cli

kleene=$build_folder/apps/cli/kleene
device=cpu
if gpu_at_hand; then device=cuda; fi
picture=demo/minnesota.svg
mkdir -p demo
"$kleene" apsp data/road/minnesota_km.mtx --device "$device" \
  --coordinates data/road/minnesota_coord.mtx --unit km --svg "$picture"
echo
echo "The map, with the longest shortest route on it: $PWD/$picture"
[[ $build_folder == build/release ]] ||
  echo "$PWD/$kleene has min_plus alone, for the demo's sake; ./test.sh builds every algebra, in build/release."
