#!/bin/sh
# programs.sh same|there ARCH: every program at a small size. With `same`, lines that must
# be equal on all machines; with `there`, lines that only ARCH's guest shows.
run() { echo "\$ $*"; "$@" 2>&1; echo "exit $?"; }

if [ "$1" = same ]; then
    run spark --sizes 8K,64K --strides 1,8,64 --repeats 2
    run cm1 --counters model --machine i5-7500 --sizes 16K,64K --strides 1,16,4096 --repeats 20
    for program in mm1 mm2 mm3; do
        run $program --size 64 --machine i5-8500
    done
    for rung in 1 2 3 4 5 6 7; do
        run ge$rung 100
    done
    run dgemm all 72 --counters none
    run dgemm all 72 --machine i5-7500
    run flops all 64 --repeats 2 --threads 2
    run lab machines
else
    run avail
    run avail --mem
    run cm1 --sizes 8K --strides 1,64 --repeats 1
    run mm1 --size 64
    run mm2 --size 64 --counters hardware --events PAPI_TOT_INS
    run dgemm all 40
    run ge7 64 2
    run ge3 64 1
    run lab run --quick --output /tmp/report
fi
