#!/usr/bin/env bash
# Compares the output of two builds of the programs where nothing is timed: on described
# machines, in each format, at small sizes. Every modelled figure must be equal.
#
# usage: scripts/same.sh OLD NEW
#   OLD, NEW: folders with the programs, such as target/debug of two checkouts
set -euo pipefail
[ $# = 2 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
old=$(realpath "$1") new=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

machines="i5-7500 zen3 lecture sparcstation-1+"
lines() {
    for machine in $machines; do
        for format in kit csv json; do
            end="--machine $machine --format $format"
            for counters in auto model none; do
                echo "mm1 24 --counters $counters $end"
                echo "cm1 --max 16K --repeats 2 --counters $counters $end"
                echo "spark --max 16K --repeats 2 --counters $counters $end"
                echo "ge3 24 --counters $counters $end"
                echo "dgemm ijk 40 --counters $counters $end"
            done
            echo "mm1 48 --events PAPI_L1_DCM,PAPI_L2_DCM,PAPI_L2_DCA,PAPI_TLB_DM $end"
            echo "mm2 40 $end"
            echo "mm2 40 --time-transpose $end"
            echo "mm3 40 --line-size 32 $end"
            echo "cm1 --sizes 24K,40K --event PAPI_L2_DCM --repeats 1 $end"
            echo "cm1 --max 8K --repeats 1 --until-decided $end"
            echo "ge blocked 70 $end"
            echo "dgemm all 48 --threads 1 $end"
            echo "dgemm recursive 33 $end"
            echo "dgemm block-l2 30 --m 20 --k 40 --block 7 $end"
            echo "lab causes 24 $end"
        done
        echo "lab dgemm --sizes 16,32,48 --machine $machine --record r.json"
        echo "lab run --size 16 --quick --hasten 20 --machine $machine --counters model --output out"
    done
    echo "lab machines i5-7500"
}

# Command line, time, id, commit and duration of a run may differ.
plain() {
    sed -E -e 's/("id": )"[0-9a-f]+"/\1"-"/; s/("(time|version)": )"[^"]*"/\1"-"/' -e 's/[0-9]+ (seconds|s\b)/- \1/g; s/("seconds": )[0-9.e-]+/\1-/'
}

run() { # FOLDER PLACE LINE
    mkdir -p "$2"
    # shellcheck disable=SC2086
    (cd "$2" && "$1"/$3 >stdout 2>stderr </dev/null; echo $? >status) || true
}

different=0 all=0
while read -r line; do
    rm -rf "$work/old" "$work/new"
    run "$old" "$work/old" "$line"
    run "$new" "$work/new" "$line"
    all=$((all + 1))
    (cd "$work/old" && find . -type f \( -name '*.json' -o -name '*.csv' -o -name '*.out' -o -name '*.tsv' -o -name 'std*' -o -name status \)) |
        sort >"$work/files"
    while read -r file; do
        if ! diff -u <(plain <"$work/old/$file") <(plain <"$work/new/$file" 2>/dev/null) >"$work/diff"; then
            different=$((different + 1))
            echo "--- $line: $file"
            sed -n '3,12p' "$work/diff"
        fi
    done <"$work/files"
done < <(lines)
echo "$all command lines, $different files that differ"
[ "$different" = 0 ]
