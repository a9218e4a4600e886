#!/usr/bin/env bash
# Miri over what reads text or walks memory, address and thread sanitizer over the
# ladders and their teams, valgrind over whole programs.
#
# usage: scripts/sanitizers.sh [miri] [address] [thread] [valgrind]   (all by default)
#
# Needs rustup's nightly with miri and rust-src; valgrind for the last. Ends with the
# first complaint; prints one line per part that is clean. What ran last, and with
# which versions, stands in sanitizers.md beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/sanitizers"
host=$(rustc -vV | sed -n 's/host: //p')

miri() { # what computes for long is left to the others
    export MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-strict-provenance"
    cargo +nightly miri test --quiet --locked -p lanes -p memory -p isa -p seal --lib
    cargo +nightly miri test --quiet --locked -p figures --lib
    cargo +nightly miri test --quiet --locked -p dgemm --lib --no-default-features -- view
}

sanitizer() { # NAME; with the standard library, else a thread's end looks like a race
    export RUSTFLAGS="-Zsanitizer=$1 -Cunsafe-allow-abi-mismatch=sanitizer"
    local nightly=(cargo +nightly test --quiet --locked -Zbuild-std --target "$host")
    "${nightly[@]}" -p lanes -p isa -p memory -p seal --lib
    "${nightly[@]}" --no-default-features -p ge --lib --test ladder
    "${nightly[@]}" --no-default-features -p dgemm --lib --test variants
}

programs() { # each program once, small; what checks itself by time may fail, memory may not
    cargo build --quiet --locked -p spark -p cm1 -p mm1 -p mm2 -p mm3 -p ge -p dgemm -p flops -p avail -p lab
    local bin=$PWD/$CARGO_TARGET_DIR/debug place
    case $CARGO_TARGET_DIR in /*) bin=$CARGO_TARGET_DIR/debug ;; esac
    place=$(mktemp -d)
    while read -r program line; do
        # shellcheck disable=SC2086
        (cd "$place" && valgrind -q --error-exitcode=99 "$bin/$program" $line >/dev/null 2>told) || [ $? != 99 ] ||
            { grep == "$place/told"; echo "valgrind: $program $line"; rm -rf "$place"; exit 1; }
    done <<'LINES'
spark --machine i5-7500 --max 8K --repeats 1
cm1 --machine i5-7500 --max 8K --repeats 1
cm1 --max 8K --repeats 1 --counters none
mm1 --size 24 --counters model
mm2 --size 24 --counters none
mm3 --size 24 --counters none
ge1 24
ge ge7 24
ge blocked 40
ge threads 40
dgemm all 24 --counters none
flops avx 24
avail --mem
lab machines
lab discover --machine lecture
lab infer told
LINES
    rm -rf "$place"
}

[ $# -gt 0 ] || set -- miri address thread valgrind
for part in "$@"; do
    began=$(date +%s)
    case $part in
        miri) miri ;;
        address | thread) (sanitizer "$part") ;;
        valgrind) programs ;;
        *) echo "sanitizers.sh: there is no part '$part'; there are miri, address, thread, valgrind" >&2; exit 2 ;;
    esac
    echo "$part: clean ($(($(date +%s) - began)) s)"
done
