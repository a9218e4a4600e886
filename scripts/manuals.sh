#!/bin/sh
# Writes a man page for every program into DIR/man1, and completions for bash, zsh
# and fish into DIR/bash, DIR/zsh and DIR/fish.
#
# usage: scripts/manuals.sh DIR
set -eu
[ $# -eq 1 ] || { echo "usage: scripts/manuals.sh DIR" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$(readlink -f "$0")")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
cargo build --quiet --release --locked --features common/manuals
for program in avail spark cm1 mm1 mm2 mm3 ge dgemm flops lab; do
    CACHE_LAB_MANUALS=$out "$target/release/$program" >/dev/null
done
echo "$out"
