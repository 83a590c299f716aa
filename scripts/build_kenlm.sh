#!/usr/bin/env bash
# Builds KenLM's lmplz and build_binary from the kenlm source package into a folder.
# Needs cmake, a C++ compiler and Boost (Debian: apt-get install cmake g++ libboost-all-dev zlib1g-dev libbz2-dev liblzma-dev).
# usage: scripts/build_kenlm.sh PYTHON FOLDER
set -euo pipefail
python=$1
folder=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m pip download -q --no-deps --no-binary kenlm -d "$work" kenlm
tar xzf "$work"/kenlm-*.tar.gz -C "$work"
rm "$work"/kenlm-*.tar.gz
cmake -S "$work"/kenlm-* -B "$work/build" -DCMAKE_BUILD_TYPE=Release > "$work/log" 2>&1 || { tail -n 5 "$work/log"; exit 1; }
cmake --build "$work/build" --target lmplz build_binary -j2 > "$work/log" 2>&1 || { tail -n 5 "$work/log"; exit 1; }
cp "$work/build/bin/lmplz" "$work/build/bin/build_binary" "$folder"
