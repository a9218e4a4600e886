#!/bin/sh
# Compares the kit's single-stepped instruction counts with valgrind's callgrind, and prints
# instructions per inner step.
#
#     scripts/ge_instructions.sh [SIZES]              default: "200 400"
#
# Exit 1 if a count differs by more than 0.5 %, or the ladder is not descending (ge1 > ge2 >
# ge3 >= ge4 > ge6 > ge7).
set -eu
cd "$(dirname "$0")/.."
sizes=${1:-200 400}
if ! command -v valgrind >/dev/null; then
    echo "note: valgrind is not installed, so there is nothing to compare with (apt install valgrind)" >&2
    exit 0
fi
cargo build --quiet --release -p ge
kit=${CARGO_TARGET_DIR:-target}/release
status=0
printf 'rung\tsize\tstepped\tcallgrind\tdifference(%%)\tper inner step\n'
for size in $sizes; do
    before=
    for k in 1 2 3 4 5 6 7; do
        stepped=$("$kit/ge$k" "$size" 2 2>/dev/null | sed -n 's/^The total instructions executed are \([0-9]*\),.*/\1/p')
        counted=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
            --toggle-collect="ge::rungs::rung::enter*" "$kit/ge$k" "$size" --counters none 2>&1 >/dev/null |
            sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
        if [ -z "$stepped" ]; then
            echo "ge$k: this system does not allow single-stepping" >&2
            exit 1
        fi
        line=$(awk "BEGIN { n = $size; inner = n * (n - 1) * (2 * n - 1) / 6;
            printf \"%.4f\t%.3f\", 100 * ($stepped - $counted) / $counted, $counted / inner }")
        printf 'ge%s\t%s\t%s\t%s\t%s\n' $k "$size" "$stepped" "$counted" "$line"
        per=${line#*	}
        off=${line%	*}
        awk "BEGIN { exit !($off > 0.5 || $off < -0.5) }" && status=1
        case $k in
        1) ;;
        4) awk "BEGIN { exit !($per > $before) }" && status=1 ;;
        5) continue ;;
        *) awk "BEGIN { exit !($per >= $before) }" && status=1 ;;
        esac
        before=$per
    done
done
exit $status
