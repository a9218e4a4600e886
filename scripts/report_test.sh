#!/bin/sh
# Runs the lab and drives its report in a browser: typed answers must survive a reload, a
# kill and another run, and be graded as the page says. If a tool for that is missing, prints which, and exits successfully.
#
# usage: scripts/report_test.sh [LAB]    LAB, the built program, with course next to it
set -eu
cd "$(dirname "$(dirname "$(readlink -f "$0")")")"
# The reader of values needs no browser.
if command -v node >/dev/null; then node scripts/reader_test.mjs; fi
. scripts/browser.sh

lab=${1:-}
if [ -z "$lab" ]; then
    cargo build --quiet --release -p lab -p course
    lab=${CARGO_TARGET_DIR:-target}/release/lab
fi
node scripts/report_test.mjs "$lab" "$work"
