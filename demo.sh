#!/usr/bin/env bash
# Solves Minnesota's road network: all pairs of its 2642 crossings, and a map with the longest shortest route on it.
# Sets the machine up and builds what is needed first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. tools/setup.sh

set_up
build kleene_cli

picture=demo/minnesota.svg
mkdir -p demo
"$build_folder/apps/cli/kleene" apsp data/road/minnesota_km.mtx \
  --coordinates data/road/minnesota_coord.mtx --unit km --svg "$picture"
echo
echo "The map, with the longest shortest route on it: $PWD/$picture"
