#!/usr/bin/env bash
# Miri for unsafe code in memory and SIMD, address and thread sanitizer for the ladders and
# their threads, thread sanitizer for the library of lab cc in C programs with threads,
# valgrind for whole programs.
#
# usage: scripts/sanitizers.sh [miri] [address] [thread] [valgrind]   (all by default)
#
# Needs rustup's nightly with miri and rust-src; valgrind for the last. Ends at the first
# error; prints one line per part without errors. docs/faults.md has the results.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/sanitizers"
host=$(rustc -vV | sed -n 's/host: //p')
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

miri() { # two random inputs of each kind: an interpreter takes a thousand times as long
    export MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-strict-provenance" PROPTEST_CASES=2
    local test=(cargo +nightly miri test --quiet --locked --lib)
    # All instruction sets that the compiler knows.
    case $host in x86_64*) local simd="-Ctarget-feature=+avx2,+fma,+avx512f" ;; esac
    RUSTFLAGS="${simd-}" "${test[@]}" -p isa -p memory
    "${test[@]}" --no-default-features -p dgemm -- view
    "${test[@]}" -p figures
}

sanitizer() { # NAME; with the standard library, else a thread's end looks like a race
    export RUSTFLAGS="-Zsanitizer=$1 -Cunsafe-allow-abi-mismatch=sanitizer"
    local std=(--quiet --locked -Zbuild-std --target "$host")
    cargo +nightly test "${std[@]}" -p isa -p memory -p dgemm -p ge --lib --test it -- --skip program
    cargo +nightly build "${std[@]}" -p mm1 -p mm2 -p mm3
    for product in mm1 mm2 mm3; do
        for counters in none model; do
            "$CARGO_TARGET_DIR/$host/debug/$product" --size 40 --counters $counters >/dev/null
        done
    done
    # The library's memory is where AddressSanitizer has none. Signals are left out: ThreadSanitizer
    # delivers them late, where they are blocked.
    case $1$host in thread*x86_64*linux*) ;; *) return ;; esac
    local runtime=("$(rustc +nightly --print sysroot)/lib/rustlib/$host/lib/"librustc*_rt.tsan.a)
    cargo +nightly build "${std[@]}" -p lab -p papi
    for program in threads parallel brief; do
        "$CARGO_TARGET_DIR/$host/debug/lab" cc -g "lab/tests/it/c/$program.c" -o "$place/$program" \
            -Wl,--whole-archive "${runtime[@]}" -Wl,--no-whole-archive -Wl,--export-dynamic
        LAB_MACHINE=zen3 "$place/$program" >/dev/null 2>"$place/messages" || { cat "$place/messages"; exit 1; }
    done
}

programs() { # each program once, small; what checks itself by time may fail, memory may not
    cargo build --quiet --locked -p spark -p cm1 -p mm1 -p mm2 -p mm3 -p ge -p dgemm -p flops -p avail -p lab
    while read -r program line; do
        # shellcheck disable=SC2086
        (cd "$place" && valgrind -q --error-exitcode=99 "$CARGO_TARGET_DIR/debug/$program" $line </dev/null >/dev/null 2>messages) ||
            [ $? != 99 ] || { grep == "$place/messages"; echo "valgrind: $program $line"; exit 1; }
    done <<'LINES'
spark --machine i5-7500 --max 8K --repeats 1
cm1 --machine i5-7500 --max 64K --repeats 1 --record r.json
cm1 --max 8K --repeats 1 --counters none
mm1 --size 24 --counters model
mm2 --size 24 --counters none
mm3 --size 24 --counters none
ge1 24
ge ge7 24
ge blocked 40
dgemm all 24 --counters none
flops avx 24
avail --mem
lab machines
LINES
}

[ $# -gt 0 ] || set -- miri address thread valgrind
for part in "$@"; do
    began=$SECONDS
    case $part in
        miri) (miri) ;;
        address | thread) (sanitizer "$part") ;;
        valgrind) programs ;;
        *) echo "sanitizers.sh: there is no part '$part'; there are miri, address, thread, valgrind" >&2; exit 2 ;;
    esac
    echo "$part: clean ($((SECONDS - began)) s)"
done
