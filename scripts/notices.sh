#!/bin/sh
# Prints the licences of the libraries that are compiled into programs, of the font and of PAPI's tables.
#
# usage: scripts/notices.sh [--html] [cargo tree's options, like -p page --target TRIPLE]
#
# With --html it prints a comment, for the end of a page.
#
# Takes the licences from the libraries' sources: ./vendor of a kit, or those that cargo has downloaded. A text is
# printed once; a library without one has the usual text of its licence (LICENSES).
set -eu
cd "$(dirname "$(readlink -f "$0")")/.."
if [ "${1:-}" = --html ]; then
    shift
    echo "<!--"
    "$PWD/scripts/notices.sh" "$@" | sed 's/--/- -/g'
    echo "-->"
    exit
fi
[ $# -gt 0 ] || set -- --workspace
sources=vendor
[ -d vendor ] || sources=$(echo "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*)

seen=$(mktemp)
trap 'rm -f "$seen"' EXIT

echo "This program is licensed under MIT or Apache-2.0. It contains:"
cat LICENSES/LicenseRef-PAPI.txt common/chart/assets/OFL.txt
cargo tree --locked --edges normal --prefix none --format '{p}	{l}' "$@" | sed 's| (\*)$||' | grep -v -e '(/' -e '^$' | sort -u |
    while IFS='	' read -r package licence; do
        set -- $package # name, v1.2.3, perhaps (proc-macro)
        printf '\n== %s %s: %s\n' "$1" "${2#v}" "$licence"
        # shellcheck disable=SC2086
        find $sources -mindepth 2 -maxdepth 2 -path "*/$1-${2#v}/*" -type f \
            \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' -o -iname 'copyright*' \) | LC_ALL=C sort |
            while IFS= read -r file; do
                sum=$(sha256sum <"$file")
                first=$(sed -n "s/^$sum //p" "$seen")
                if [ -n "$first" ]; then echo "(the same text as ${file##*/} of $first)"; continue; fi
                echo "$sum $1" >>"$seen"
                cat "$file"
            done
    done
