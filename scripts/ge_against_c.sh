#!/bin/sh
# Compares each rung of the ladder with the same loop in C: the ratio of median
# times (C / kit, above 1 means the kit is faster), ge1 against gcc -O0 and -O2,
# the others against gcc -O2. Interleaved, so that both meet the same machine.
#
#     scripts/ge_against_c.sh [SIZES] [ROUNDS]        default: "500 1000 1500" 7
#
# Exit 1 if a rung from ge2 on falls below 0.97, or a Check differs.
set -eu
cd "$(dirname "$0")/.."
sizes=${1:-500 1000 1500}
rounds=${2:-7}
if ! command -v gcc >/dev/null; then
    echo "note: gcc is not installed, so there is nothing to compare with (apt install gcc)" >&2
    exit 0
fi
cargo build --quiet --release -p ge
kit=${CARGO_TARGET_DIR:-target}/release
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
gcc -O0 -o "$work/c0" scripts/ge/ladder.c
gcc -O2 -o "$work/c2" scripts/ge/ladder.c

median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
status=0
printf 'rung\tsize\tkit(s)\tgcc -O2(s)\tC/kit\n'
for size in $sizes; do
    for k in 1 2 3 4 5 6 7; do
        if ! "$kit/ge$k" 1 >/dev/null 2>&1; then
            echo "note: ge$k does not run on this processor" >&2
            continue
        fi
        : >"$work/kit"; : >"$work/o0"; : >"$work/o2"
        round=0
        while [ $round -lt "$rounds" ]; do
            "$kit/ge$k" "$size" --counters none 2>/dev/null >"$work/out"
            awk '/^Time/ { print $2 }' "$work/out" >>"$work/kit"
            "$work/c2" $k "$size" 1 >"$work/out2"
            grep -v Check "$work/out2" >>"$work/o2"
            if [ $k = 1 ]; then "$work/c0" 1 "$size" 1 | grep -v Check >>"$work/o0"; fi
            round=$((round + 1))
        done
        if [ "$(grep Check "$work/out" | awk '{ print $2 }')" != "$(grep Check "$work/out2" | awk '{ print $2 }')" ]; then
            echo "ge$k: Check differs from C's at $size" >&2
            status=1
        fi
        ours=$(median "$work/kit"); c=$(median "$work/o2")
        ratio=$(awk "BEGIN { printf \"%.3f\", $c / $ours }")
        printf 'ge%s\t%s\t%.6f\t%.6f\t%s' $k "$size" "$ours" "$c" "$ratio"
        if [ $k = 1 ]; then
            c0=$(median "$work/o0")
            awk "BEGIN { printf \"\tgcc -O0 %.6f: %s between -O0 and -O2\n\", $c0, ($ours < $c0 && $ours > $c) ? \"lies\" : \"does NOT lie\" }"
        else
            awk "BEGIN { exit !($ratio < 0.97) }" && { printf '\tbelow 0.97'; status=1; }
            printf '\n'
        fi
    done
done
exit $status
