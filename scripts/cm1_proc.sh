#!/bin/sh
# Draws what cm1 printed, as in the lab guide:
#
#     ./cm1 > cm1.out
#     ./cm1_proc.sh
#
# usage: cm1_proc.sh [FILE [PICTURE]]     default: cm1.out, FILE with .svg
#
# FILE may also come from the C kits. PICTURE ends in .svg or .png. The drawing
# is done by `lab plot`: one next to this script, one built in this tree, one on
# the PATH, or one that cargo builds now. LAB=/path/to/lab chooses another.
set -eu

file=${1:-cm1.out}
picture=${2:-${file%.*}.svg}
if [ ! -r "$file" ]; then
    echo "cm1_proc.sh: there is no file '$file'; make it with: cm1 > $file" >&2
    exit 1
fi

here=$(dirname "$(readlink -f "$0")")
target=${CARGO_TARGET_DIR:-$here/../target}
for lab in "${LAB:-}" "$here/lab" "$target/release/lab" "$target/debug/lab" "$(command -v lab || true)"; do
    if [ -n "$lab" ] && [ -x "$lab" ] && [ ! -d "$lab" ]; then
        exec "$lab" plot "$file" -o "$picture"
    fi
done
if command -v cargo >/dev/null && [ -f "$here/../Cargo.toml" ]; then
    echo "cm1_proc.sh: building lab, which draws; this takes some minutes, once" >&2
    exec cargo run --quiet --release --manifest-path "$here/../Cargo.toml" -p lab -- plot "$file" -o "$picture"
fi
echo "cm1_proc.sh: there is neither the program lab nor cargo; build lab with: cargo build --release" >&2
exit 1
