#!/bin/sh
# Writes a man page for every program into DIR/man1, and completions for bash, zsh and fish
# into DIR/bash, DIR/zsh and DIR/fish. Then reads them with those of man, bash, zsh and fish
# that are installed, and reports their errors.
#
# usage: scripts/manuals.sh [--student] DIR
#     --student  without the programs of the extras
set -eu
student=
[ "${1:-}" != --student ] || { student=yes; shift; }
[ $# -eq 1 ] || { echo "usage: scripts/manuals.sh [--student] DIR" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$(readlink -f "$0")")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
programs="avail spark cm1 mm1 mm2 mm3 ge ge1 ge2 ge3 ge4 ge5 ge6 ge7 dgemm flops exercises lab"
packages=
[ -n "$student" ] || { programs="$programs course"; packages="--workspace --exclude page"; }
# shellcheck disable=SC2086
cargo build --quiet --release --locked --features common/manuals $packages
for program in $programs; do
    CACHE_LAB_MANUALS=$out "$target/release/$program" >/dev/null
done

fail() { echo "manuals.sh: $1" >&2; exit 1; }
for reader in man bash zsh fish; do
    command -v "$reader" >/dev/null || echo "manuals.sh: note: no $reader; its files are not read" >&2
done
has() { command -v "$1" >/dev/null; }
if has man; then
    for page in "$out"/man1/*.1; do
        messages=$(LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
        [ -z "$messages" ] || fail "$page: $messages"
    done
fi
for program in $programs; do
    # (groff writes a hyphen as \-)
    grep -q "^$program \\\\- " "$out/man1/$program.1" || fail "$out/man1/$program.1 is the page of another program"
    if has bash; then
        bash -c "source '$out/bash/$program.bash' && complete -p $program" >/dev/null || fail "bash does not complete $program"
    fi
    if has zsh; then
        named=$(zsh -f -c "fpath=('$out/zsh' \$fpath); autoload -U compinit; compinit -D -u; print \$_comps[$program]; autoload +X _$program")
        [ "$named" = "_$program" ] || fail "zsh does not complete $program: $named"
    fi
    if has fish; then
        fish --no-config -c "source '$out/fish/$program.fish'; complete -C '$program --ver'" | grep -q -- --version || fail "fish does not complete $program"
    fi
done
echo "$out"
