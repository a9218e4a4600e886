#!/bin/sh
# Builds the programs for Windows and runs them under Wine, compared with the same programs
# on this system. If a tool for that is missing, prints which, and exits successfully.
#
# usage: scripts/wine_test.sh
set -eu
cd "$(dirname "$(dirname "$(readlink -f "$0")")")"
target=x86_64-pc-windows-gnu
skip() { echo "note: nothing is tried under Wine: $1"; exit 0; }
command -v wine >/dev/null || skip "there is no Wine (Debian package wine64)"
command -v x86_64-w64-mingw32-gcc >/dev/null || skip "there is no linker (Debian package gcc-mingw-w64-x86-64)"
rustc --print target-libdir --target $target | xargs -r test -d || skip "rustup target add $target is missing"

cargo build --quiet --release
cargo build --quiet --release --target $target
here=${CARGO_TARGET_DIR:-target}/release
there=${CARGO_TARGET_DIR:-target}/$target/release
work=$(mktemp -d)
trap 'wineserver -k 2>/dev/null || true; rm -rf "$work"' EXIT
export WINEPREFIX="$work/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
wine wineboot --init >/dev/null 2>&1 || skip "Wine cannot make a folder for itself"
# Wine before 8.13 lacks the only function of this library that Rust programs use.
library=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
[ -e "$library" ] || x86_64-w64-mingw32-gcc -shared -x c -o "$library" - -ladvapi32 <<'END'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID room, ULONG bytes);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE room, SIZE_T bytes) { return SystemFunction036(room, bytes); }
END

failed=0
check() { # WHAT COMMAND...
    what=$1
    shift
    if "$@"; then echo "ok   $what"; else echo "FAIL $what"; sed 's/^/     /' "$work/messages" | tail -n 5; failed=1; fi
}
on_windows() { # PROGRAM OPTION...: its output, and its messages in $work/messages
    program=$1
    shift
    wine "$there/$program.exe" "$@" 2>"$work/messages" >"$work/printed"
    code=$?
    tr -d '\r' <"$work/printed"
    return $code
}
same() { # PROGRAM OPTION...: prints the program's output on this system, without this machine's line
    program=$1
    shift
    "$here/$program" "$@" 2>/dev/null | sed '/^host\t/d' >"$work/here"
    on_windows "$program" "$@" | sed '/^host\t/d' >"$work/there" && diff "$work/here" "$work/there" >"$work/messages"
}
says() { # PATTERN PROGRAM OPTION...: prints a line with that
    pattern=$1
    shift
    on_windows "$@" | grep -q "$pattern"
}
writes() { # FILE PROGRAM OPTION...: leaves a file with something in it
    file=$1
    shift
    on_windows "$@" >/dev/null && test -s "$file"
}
helps() {
    for program in "$there"/*.exe; do
        on_windows "$(basename "$program" .exe)" --help >"$work/help" && grep -q '^Usage: ' "$work/help" || return 1
    done
}

check "every program lists its options" helps
check "mm1 on a described machine prints the same" same mm1 --size 64 --machine i5-7500
check "cm1 on a described machine prints the same" same cm1 --machine lecture
check "spark on a described machine prints the same" same spark --machine i5-7500 --max 64K
check "the machines are the same" same lab machines
check "a product is timed" says 'source=timing' mm1 --size 128
check "what the machine counts, and why not" says 'Windows' avail
check "dgemm's ladder is timed" says 'avx\|ijk' dgemm all 64
check "an elimination is timed" says . ge5 100
"$here/cm1" --machine i5-7500 --record "$work/cm1.json" >/dev/null 2>&1
check "lab plot draws" writes "$work/cm1.svg" lab plot "$work/cm1.json" --output "$work/cm1.svg"
check "and draws again over the old file" writes "$work/cm1.svg" lab plot "$work/cm1.json" --output "$work/cm1.svg"
check "lab run ends in a report" writes "$work/report/report.html" lab run --quick --output "$work/report"
check "and again over the old one" writes "$work/report/report.html" lab run --quick --output "$work/report"
exit $failed
