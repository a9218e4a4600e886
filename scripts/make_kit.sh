#!/bin/sh
# Packs the kit: sources with all that is needed to build them without a network,
# or programs that run on any Linux of their processor, nothing installed.
#
# usage: scripts/make_kit.sh [--student] [--without RUNGS] [--page FILE] [--no-vendor] [--check] [FILE.tar.gz]
#        scripts/make_kit.sh [--student] [--page FILE] --target TRIPLE [FILE.tar.gz]
#
#     --student        without what solves, makes and grades: lab discover, infer,
#                      mystery, grade, survey, merge, web, and the answers in reports
#     --without RUNGS  leave these of ge2 to ge7 (like ge4,ge7) to be written: what they
#                      change, their question and their counts stay, and until they are
#                      written they do what ge1 does
#     --target TRIPLE  programs instead of sources, linked statically; TRIPLE is
#                      x86_64-unknown-linux-musl or aarch64-unknown-linux-musl
#     --page FILE      put this page into the kit; without it the instructor's kit gets
#                      what `lab web` makes, if the target wasm32-unknown-unknown is there
#     --no-vendor      leave the libraries' sources out: building needs a network
#     --check          unpack the kit, build it with no network and no cargo home
#
# For machines that nobody opens with a program of their own, set LAB_SEAL_KEY to
# secret words and hand out programs made with them.
set -eu

fail() { echo "make_kit.sh: $1" >&2; exit "${2:-1}"; }
say() { echo "make_kit.sh: $1" >&2; }

student= without= target= page= vendor=yes check= kit=
while [ $# -gt 0 ]; do
    case $1 in
        --student) student=yes ;;
        --without) [ $# -gt 1 ] || fail "--without needs rungs; see --help" 2; without=$2; shift ;;
        --target) [ $# -gt 1 ] || fail "--target needs a triple; see --help" 2; target=$2; shift ;;
        --page) [ $# -gt 1 ] || fail "--page needs a file; see --help" 2; page=$2; shift ;;
        --no-vendor) vendor= ;;
        --check) check=yes ;;
        -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0"; exit 0 ;;
        -*) fail "there is no option '$1'; see --help" 2 ;;
        *) [ -z "$kit" ] || fail "one file name is enough: '$kit' or '$1'" 2; kit=$1 ;;
    esac
    shift
done
[ -z "$check" ] || [ -n "$vendor" ] || fail "--check needs the libraries' sources: leave out --no-vendor" 2
[ -z "$check" ] || [ -z "$target" ] || fail "--check builds sources: leave out --target" 2
case $target in
    '' | *-linux-musl) ;;
    *) fail "'$target' is not linked statically; give x86_64-unknown-linux-musl or aarch64-unknown-linux-musl" 2 ;;
esac
for rung in $(echo "$without" | tr , ' '); do
    case $rung in ge[2-7]) ;; *) fail "'$rung' cannot be left to be written; give some of ge2 to ge7, like ge4,ge7" 2 ;; esac
done
[ -z "$without" ] || [ -z "$target" ] || fail "--without is about sources: leave out --target" 2
[ -z "$page" ] || [ -f "$page" ] || fail "there is no page '$page'; make it with: lab web" 2

root=$(dirname "$(dirname "$(readlink -f "$0")")")
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")
name=cache-lab-$version${student:+-student}${target:+-${target%%-*}}
kit=${kit:-$name.tar.gz}
case $kit in /*) ;; *) kit=$PWD/$kit ;; esac
[ -w "$(dirname "$kit")" ] || fail "cannot write into '$(dirname "$kit")'; give another file name"
command -v cargo >/dev/null || fail "cargo is not here; install Rust from https://rustup.rs"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
tree=$work/$name
mkdir "$tree"
[ -z "$page" ] || cp "$page" "$tree/lab.html"

cd "$root"

# The lab for a browser. Its second page reads sizes and ways from curves, which
# the student's edition leaves to the student.
if [ -z "$page$student" ]; then
    say "building lab.html"
    { command -v rustup >/dev/null && rustup target add wasm32-unknown-unknown >/dev/null 2>&1; } || :
    cargo run --quiet --release --locked -p lab -- web --out "$tree/lab.html" 2>"$work/page.log" ||
        say "without lab.html: $(tail -1 "$work/page.log")"
fi
stamp=$(git log -1 --format=%ct 2>/dev/null || date +%s)

# The sources: what is tracked, as it is now; a changed file travels changed.
sources() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files -z | tar --null --files-from=- --create --file=-
    else
        tar --create --file=- --exclude=./target --exclude=./vendor --exclude="./*.tar.gz" .
    fi | tar --extract --file=- --directory="$tree"
    [ -z "$student" ] || without_answers
    for rung in $(echo "$without" | tr , ' '); do unwritten "$rung"; done
    [ -z "$vendor" ] || libraries
}

# Without the sources of what a student shall not have, nor the option to build it.
without_answers() {
    (
        cd "$tree"
        rm -r lab/src/instructor lab/src/commands/discover lab/src/commands/infer.rs lab/src/web.rs lab/src/page.rs
        rm -r lab/tests exercises/tests scripts/room scripts/make_kit.sh
        sed -i '/^default = \["instructor"\]/s/"instructor"//' lab/Cargo.toml
    )
}

# A rung's head, and in the place of its loop that of ge1.
unwritten() {
    file=$tree/ge/src/rungs/$1.rs
    isa=$(sed -n 's/^ *type Isa = \(.*\);/\1/p' "$file")
    uses=Scalar
    [ "$isa" = Scalar ] || uses="{$isa, Scalar}"
    {
        sed -n '/^\/\/!/p' "$file"
        cat <<END
//!
//! **Yours.** This rung is left to be written. Until then it does what ge1 does;
//! \`cargo test -p ge\` says when it does what stands above.

use isa::$uses;
use memory::Memory;

use crate::problem::system::System;
use crate::rungs::Rung;
use crate::rungs::ge1::Ge1;

/// Not written yet.
#[derive(Debug)]
pub struct G${1#g};

impl Rung for G${1#g} {
    type Isa = $isa;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, _: $isa) {
        Ge1::eliminate(mem, system, Scalar);
    }
}
END
        # one column, which other rungs use for their ends
        sed -n '/^\/\/\/ `target\[j\] -= /,/^}/{/^\/\/\//{x;p;x;};s/: Array</: memory::Array</g;p;}' "$file"
    } >"$work/rung.rs"
    mv "$work/rung.rs" "$file"
}

# The libraries' sources. What only other systems compile is emptied: a third of
# the kit, half of it unpacked.
libraries() {
    say "collecting the libraries' sources"
    mkdir -p "$tree/.cargo"
    (cd "$tree" && cargo vendor --locked --versioned-dirs vendor 2>"$work/vendor.log" >>.cargo/config.toml) ||
        fail "cargo vendor failed: $(tail -1 "$work/vendor.log"); a network is needed once, or --no-vendor"
    for triple in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-unknown-linux-musl; do
        (cd "$tree" && cargo tree --offline --locked --workspace --edges all --prefix none --target "$triple" --format '{p}')
    done | awk '{ print $1 "-" substr($2, 2) }' | sort -u >"$work/needed"
    for crate in "$tree"/vendor/*; do
        grep -Fqx "$(basename "$crate")" "$work/needed" || empty "$crate"
    done
}

empty() {
    find "$1" -mindepth 1 ! -name Cargo.toml ! -name .cargo-checksum.json -delete
    mkdir -p "$1/src"
    : >"$1/src/lib.rs"
    # build scripts, examples and the like are gone
    sed -i '/^build = /d; /^\[\[\(bin\|example\|test\|bench\)\]\]/,/^$/d; s/^path = "[^"]*"/path = "src\/lib.rs"/' "$1/Cargo.toml"
    sed -i 's/"files":{[^}]*}/"files":{}/' "$1/.cargo-checksum.json"
}

# Programs under bin/, with checksums and a page that says how to start each.
programs() {
    say "building the programs for $target"
    command -v rustup >/dev/null && rustup target add "$target" >/dev/null 2>&1 || :
    # rustc brings linker and C library of these targets along
    variable=CARGO_TARGET_$(echo "$target" | tr a-z- A-Z_)
    built=${CARGO_TARGET_DIR:-$root/target}/$target/release
    build() {
        env "$variable"_LINKER=rust-lld "$variable"_RUSTFLAGS="-C strip=symbols -C link-self-contained=yes -C target-feature=+crt-static" \
            cargo build --quiet --release --locked --target "$target" "$@" ||
            fail "the programs do not build for $target; does rustc have it? rustup target add $target"
    }
    build --workspace --exclude web --exclude lab --exclude fuzz
    build -p lab ${student:+--no-default-features}
    mkdir "$tree/bin"
    find "$built" -maxdepth 1 -type f -perm -u+x ! -name '*.so' -exec cp {} "$tree/bin" \;
    cp scripts/cm1_proc.sh "$tree/bin"
    cp LICENSE-MIT LICENSE-APACHE "$tree"
    sed "s/VERSION/$version/; s/TRIPLE/$target/" scripts/kit_readme.md >"$tree/README.md"
    [ -z "$student" ] || sed -i '/^| `bin\/lab \(discover\|infer\|mystery\|grade\|survey\)/d' "$tree/README.md"
    (cd "$tree" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
}

if [ -n "$target" ]; then programs; else sources; fi

tar --create --gzip --file="$kit.part" --directory="$work" --sort=name --mtime="@$stamp" \
    --owner=0 --group=0 --numeric-owner "$name"
mv "$kit.part" "$kit"

if [ -n "$check" ]; then
    say "building the kit as a student would, offline"
    mkdir "$work/student"
    tar --extract --gzip --file="$kit" --directory="$work/student"
    (cd "$work/student/$name" && env -u CARGO_TARGET_DIR CARGO_HOME="$work/home" cargo build --quiet --release --offline --locked) ||
        fail "the kit does not build offline"
fi
say "$(du -h "$kit" | cut -f1) packed, $(du -sh "$tree" | cut -f1) unpacked"
echo "$kit"
