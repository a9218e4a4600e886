#!/bin/sh
# Packs the kit: sources with all that is needed to build them without a network,
# or programs that run on any Linux of their processor, nothing installed.
#
# usage: scripts/make_kit.sh [--student] [--without RUNGS] [--page FILE] [--no-vendor] [--check] [FILE.tar.gz]
#        scripts/make_kit.sh [--student] --target TRIPLE [--built DIR] [--manuals DIR] [FILE.tar.gz]
#
#     --student        without extras: what solves, makes and grades
#     --without RUNGS  leave these of ge2 to ge7 (like ge4,ge7) to be written: what they
#                      change, their question and their counts stay, and until they are
#                      written they do what ge1 does; so do those that repeat their loop
#     --target TRIPLE  programs instead of sources, linked statically; TRIPLE is
#                      x86_64-unknown-linux-musl or aarch64-unknown-linux-musl
#     --built DIR      take the programs from DIR instead of building them; TRIPLE may then be
#                      any (the archive for Windows is FILE.zip)
#     --manuals DIR    add man pages and completions, as scripts/manuals.sh writes them
#     --page FILE      put this page into the instructor's kit; without it the kit gets
#                      what `page` makes, if the target wasm32-unknown-unknown is there
#     --no-vendor      leave the libraries' sources out: building needs a network
#     --check          unpack the kit, build it with no network and no cargo home
#
# scripts/kit_files lists what belongs in a kit; in an unpacked kit its MANIFEST does.
# While anything else lies in the sources (a key, a roster, what was handed
# in, grades), nothing is packed.
#
# Sealed machines: SECURITY.md says who can open them.
set -eu

fail() { echo "make_kit.sh: $1" >&2; rm -f "${kit:-}.part"; exit "${2:-1}"; }
absolute() { [ -z "$1" ] || (cd "$1" 2>/dev/null && pwd) || fail "there is no folder '$1'" 2; }
say() { echo "make_kit.sh: $1" >&2; }

student= without= target= built= manuals= page= vendor=yes check= kit=
while [ $# -gt 0 ]; do
    case $1 in
        --student) student=yes ;;
        --without) [ $# -gt 1 ] || fail "--without needs rungs; see --help" 2; without=$2; shift ;;
        --target) [ $# -gt 1 ] || fail "--target needs a triple; see --help" 2; target=$2; shift ;;
        --built) [ $# -gt 1 ] || fail "--built needs a folder; see --help" 2; built=$2; shift ;;
        --manuals) [ $# -gt 1 ] || fail "--manuals needs a folder; see --help" 2; manuals=$2; shift ;;
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
[ -z "$built$manuals" ] || [ -n "$target" ] || fail "--built and --manuals are about programs: give --target" 2
case $built$target in
    '' | *-linux-musl) ;;
    *) [ -n "$built" ] || fail "'$target' is not linked statically; give x86_64-unknown-linux-musl or aarch64-unknown-linux-musl, or programs with --built" 2 ;;
esac
case $target in *-windows-*) ending=zip exe=.exe ;; *) ending=tar.gz exe= ;; esac
built=$(absolute "$built")
manuals=$(absolute "$manuals")
for rung in $(echo "$without" | tr , ' '); do
    case $rung in ge[2-7]) ;; *) fail "'$rung' cannot be a rung for students to write; give some of ge2 to ge7, like ge4,ge7" 2 ;; esac
done
[ -z "$without" ] || [ -z "$target" ] || fail "--without is about sources: leave out --target" 2
[ -z "$page" ] || [ -f "$page" ] || fail "there is no page '$page'; make it with: cargo run --release -p page" 2
[ -z "$page" ] || [ -z "$student" ] ||
    fail "--page: that page reads sizes and ways from curves, so it is not in a student's kit; hand it out by itself" 2

root=$(dirname "$(dirname "$(readlink -f "$0")")")
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")
[ -z "$kit" ] || case $kit in /*) ;; *) kit=$PWD/$kit ;; esac
[ -z "$page" ] || case $page in /*) ;; *) page=$PWD/$page ;; esac
here=$PWD
command -v cargo >/dev/null || fail "cargo is not installed; install Rust from https://rustup.rs"

cd "$root"
# An unpacked kit is not a repository, even if it is in a folder of one.
if [ -f MANIFEST ]; then from=kit
elif [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then from=git
else fail "'$root' is neither a git repository nor an unpacked kit, so nothing says what belongs to it"; fi

commit() {
    if [ "$from" = git ]; then
        git rev-parse --short=10 HEAD
        git diff --quiet HEAD || echo "-changed"
    elif [ -f COMMIT ]; then
        cat COMMIT
        sha256sum --check --status MANIFEST 2>/dev/null || grep -q -e -changed COMMIT || echo "-changed"
    fi | tr -d '\n'
}
commit=$(commit)
# The names of a release's kits contain only its version.
named=-$commit
case $commit in
    '') named= ;;
    *-changed) ;;
    *) [ "$from" = kit ] || [ -z "$(git tag --points-at HEAD --list "v$version")" ] || named= ;;
esac
name=cache-lab-$version$named${student:+-student}${target:+-$target}
kit=${kit:-$here/$name.$ending}
[ -w "$(dirname "$kit")" ] || fail "cannot write into '$(dirname "$kit")'; give another file name"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
tree=$work/$name
mkdir "$tree"
[ -z "$page" ] || cp "$page" "$tree/lab.html"

# The files of this kit, and those of any kit.
belongs() { sed "$1" scripts/kit_files | grep -v '^#' | grep .; }
belongs '' >"$work/any"
belongs "${student:+/^# not for students/,\$d}" >"$work/this"
case $from in
    git) git ls-files -z | tr '\0' '\n' ;;
    kit) sed 's/^[0-9a-f]* [ *]//' MANIFEST && echo MANIFEST ;;
esac | LC_ALL=C sort -u >"$work/known"

# Files in vendor/ that their libraries' checksums do not list, or that were changed.
strangers() {
    find vendor -name .cargo-checksum.json | LC_ALL=C sort >"$work/lists"
    while IFS= read -r list; do
        { sed 's/.*"files":{//; s/}.*//; s/","/"\n"/g' "$list"; echo; } |
            sed -n "s|^\"\(.*\)\":\"\([0-9a-f]\{64\}\)\"\$|\2  $(dirname "$list")/\1|p"
    done <"$work/lists" >"$work/sums"
    { sed 's/^[0-9a-f]*  //' "$work/sums"; cat "$work/lists"; } | LC_ALL=C sort -u >"$work/listed"
    find vendor ! -type d | LC_ALL=C sort | LC_ALL=C comm -23 - "$work/listed"
    LC_ALL=C sha256sum --check --quiet "$work/sums" 2>/dev/null | sed -n 's/: FAILED.*$//p' || :
}

# Refuses files that are not sources, wherever they are: this script cannot know what they
# contain.
clean() {
    find . \( -name .git -o -name target -type d -o -name .vscode -o -name .idea -o -path ./vendor -o -path ./report -o -path ./my-exercises -o -type l -lname '*/release/*' \) \
        -prune -o ! -type d -print | sed 's|^\./||' |
        grep -Ev '\.(out|tar\.gz)$|^\.cargo/config\.toml$' >"$work/there"
    grep -Ex -f "$work/any" "$work/there" | LC_ALL=C sort >"$work/named"
    {
        grep -Exv -f "$work/any" "$work/there" || :
        [ "$from" = git ] || LC_ALL=C comm -23 "$work/named" "$work/known"
        # a link may lead to another source
        find . \( -name .git -o -name target -o -path ./vendor -o -path ./report -o -path ./my-exercises -o -lname '*/release/*' \) -prune -o -type l -print | sed 's|^\./||' |
            while IFS= read -r link; do
                leads=$(readlink -f "$link" || :)
                { [ -f "$leads" ] && grep -Fqx -e "${leads#"$root/"}" "$work/known"; } || echo "$link"
            done
        # files with the name of a source that are not sources
        grep -Ev '\.(rs|py|sh|md|mjs)$' "$work/named" | tr '\n' '\0' |
            xargs -0 grep -lsE '^name,file,seal,|"(schema|format)": *"cache-lab-(kit/key/|answers")|^# A sealed machine' || :
        [ ! -d vendor ] || strangers
    } | LC_ALL=C sort -u >"$work/unknown"
    [ -s "$work/unknown" ] || return 0
    number=$(wc -l <"$work/unknown") more=
    [ "$number" -le 8 ] || more=" and $((number - 8)) more"
    fail "nothing is packed while these are in '$root': $(head -8 "$work/unknown" | sed "s/.*/'&'/" | paste -sd, - | sed 's/,/, /g')$more; move them away (keys, rosters, grades and what was handed in belong elsewhere; a new source file is added to scripts/kit_files)"
}
[ -n "$target" ] || clean

# The lab for a browser. Its second page reads sizes and ways from curves, which students
# must do themselves.
if [ -z "$page$student" ]; then
    say "building lab.html"
    { command -v rustup >/dev/null && rustup target add wasm32-unknown-unknown >/dev/null 2>&1; } || :
    CACHE_LAB_COMMIT=$commit cargo run --quiet --release --locked -p page -- --output "$tree/lab.html" 2>"$work/page.log" ||
        say "without lab.html: $(tail -1 "$work/page.log")"
    [ ! -f "$tree/lab.html" ] || scripts/notices.sh --html -p page >>"$tree/lab.html"
fi
stamp=$(git log -1 --format=%ct 2>/dev/null || date +%s)

# The sources in their present state, with uncommitted changes.
sources() {
    grep -Ex -f "$work/this" "$work/known" | grep -Exv 'lab\.html|MANIFEST|COMMIT' | while IFS= read -r file; do
        [ ! -f "$file" ] || echo "$file"
    done >"$work/packed"
    tar --create --file=- --files-from="$work/packed" | tar --extract --file=- --directory="$tree"
    [ -z "$commit" ] || echo "$commit" >"$tree/COMMIT"
    [ -z "$student" ] || for_students
    for rung in $(repeated); do if [ "$rung" = printed ]; then unprinted; else unwritten "$rung"; fi; done
    if [ -z "$student" ]; then
        (cd "$tree" && find . ! -type d | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum >"$work/manifest")
        mv "$work/manifest" "$tree/MANIFEST"
    fi
    [ -z "$vendor" ] || libraries
}

# The kit without extras: they are members of the workspace, and the README leads to them.
for_students() {
    cd "$tree"
    sed -i '/^ *# Not in a student/d; /^ *"extras\//d; /= { path = "extras\//d; /^exclude = /d; /^# Libraries to measure/d' Cargo.toml
    sed -i '/^Without installing anything/,/^$/d; /^## For instructors/,/^## Licence/{/^## Licence/!d;}' README.md
    ! grep -rnE --include='*.md' '\bextras\b' . >&2 || fail "these pages of a student's kit speak of extras, which it lacks"
    for script in $(find . -name '*.md' -exec grep -ohE 'scripts/[a-z0-9_/]+\.[a-z]+' {} + | sort -u); do
        [ -f "$script" ] || fail "a page of the student's kit names '$script', which it lacks"
    done
    # the lock file without the libraries of the extras alone; cargo removes them, with or without a network
    cargo metadata --offline --format-version 1 >/dev/null 2>&1 || cargo metadata --format-version 1 >/dev/null 2>&1 || :
    cd "$root"
}

# The rungs that students must write, and those that repeat the loop of one of them. Rungs
# that are built on one of these would show its loop: they must be written too.
repeated() {
    for rung in $(echo "$without" | tr , ' '); do
        case $rung in
            ge4 | ge5) echo ge4 ge5 printed ;;
            ge6) echo ge6 printed ;;
            *) echo "$rung" ;;
        esac
    done | tr ' ' '\n' | sort -u
}

# The header of a rung, followed by ge1's loop instead of its own.
unwritten() {
    file=$tree/ge/src/rungs/$1.rs
    isa=$(sed -n 's/^ *type Isa = \(.*\);/\1/p' "$file")
    struct=$(sed -n 's/^pub struct \(.*\);/\1/p' "$file")
    uses=Scalar
    [ "$isa" = Scalar ] || uses="{$isa, Scalar}"
    {
        sed -n '/^\/\/!/p' "$file"
        cat <<END
//!
//! **Your task.** Write this rung. Until then it does what ge1 does;
//! \`cargo test -p ge\` checks whether it does what the text above says.

use isa::$uses;
use memory::Memory;

use crate::problem::system::System;
use crate::rungs::Rung;
use crate::rungs::ge1::Ge1;

/// Not written yet.
#[derive(Debug)]
pub struct $struct;

impl Rung for $struct {
    type Isa = $isa;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, _: $isa) {
        Ge1::eliminate(mem, system, Scalar);
    }
}
END
        # one column, which other rungs use at the ends of rows
        sed -n '/^\/\/\/ `target\[j\] -= /,/^}/{/^\/\/\//{x;p;x;};s/: Array</: memory::Array</g;p;}' "$file"
    } >"$work/rung.rs"
    mv "$work/rung.rs" "$file"
}

# The homework's wrong loops, column by column: the same columns are skipped.
unprinted() {
    file=$tree/ge/src/rungs/printed.rs
    {
        sed -n '/^\/\/!/p' "$file"
        cat <<END

use isa::{Pairs, Scalar};
use memory::Memory;

use crate::problem::system::System;
use crate::rungs::Rung;

/// ge4's and ge5's printed loop.
#[derive(Debug)]
pub struct ByOne;

impl Rung for ByOne {
    type Isa = Scalar;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, _: Scalar) {
        eliminate(mem, system);
    }
}

/// ge6's printed loop.
#[derive(Debug)]
pub struct ByTwo;

impl Rung for ByTwo {
    type Isa = Pairs;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, _: Pairs) {
        eliminate(mem, system);
    }
}

#[inline(always)]
fn eliminate<M: Memory>(mem: &mut M, system: System) {
    let (a, n) = system.flat();
    for k in 0..n {
        for i in k + 1..n {
            let multiplier = mem.load(a.at(i * n + k)) / mem.load(a.at(k * n + k));
            let (mut j, mut left) = (k + 1, 0);
            while j < n {
                if left == 0 {
                    left = if j < n.saturating_sub(8) { 8 } else { 1 };
                }
                let change = mem.load(a.at(k * n + j)) * multiplier;
                let old = mem.load(a.at(i * n + j));
                mem.store(a.at(i * n + j), old - change);
                left -= 1;
                j += if left == 0 { 2 } else { 1 };
            }
        }
    }
}
END
    } >"$work/rung.rs"
    mv "$work/rung.rs" "$file"
}

# Cargo's configuration, written anew: that of the sources may have more in it, such as
# a token.
configured() {
    mkdir -p "$tree/.cargo"
    cat >"$tree/.cargo/config.toml" <<END
[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"
END
}

# The libraries' sources. Files that only other systems compile are emptied: a third of the
# kit, half of it unpacked.
libraries() {
    if [ "$from" = kit ] && [ -d vendor ]; then
        # the list of `strangers`
        tar --create --file=- --files-from="$work/listed" | tar --extract --file=- --directory="$tree"
        configured
        return
    fi
    say "collecting the libraries' sources"
    (cd "$tree" && cargo vendor --locked --versioned-dirs vendor 2>"$work/vendor.log" >/dev/null) ||
        fail "cargo vendor failed: $(tail -1 "$work/vendor.log"); a network is needed once, or --no-vendor"
    configured
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
    # build scripts, examples and so on were removed; `links` needs a build script
    sed -i '/^build = /d; /^links = /d; /^\[\[\(bin\|example\|test\|bench\)\]\]/,/^$/d; s/^path = "[^"]*"/path = "src\/lib.rs"/' "$1/Cargo.toml"
    sums=$(cd "$1" && sha256sum Cargo.toml src/lib.rs | sed 's/^\([0-9a-f]*\) [ *]\(.*\)/"\2":"\1"/' | paste -sd, -)
    sed -i "s|\"files\":{[^}]*}|\"files\":{$sums}|" "$1/.cargo-checksum.json"
}

# Programs of the instructor's kit alone.
extras="course"
[ -z "$student" ] || extras=

# Builds the programs into $built.
build() {
    say "building the programs for $target"
    command -v rustup >/dev/null && rustup target add "$target" >/dev/null 2>&1 || :
    # rustc includes linker and C library for these targets
    variable=CARGO_TARGET_$(echo "$target" | tr a-z- A-Z_)
    env CACHE_LAB_COMMIT="$commit" "$variable"_LINKER=rust-lld \
        "$variable"_RUSTFLAGS="-C strip=symbols -C link-self-contained=yes -C target-feature=+crt-static" \
        cargo build --quiet --release --locked --target "$target" ${extras:+--workspace --exclude page} ||
        fail "the programs do not build for $target; does rustc have it? rustup target add $target"
    built=${CARGO_TARGET_DIR:-$root/target}/$target/release
}

# The library of `lab cc`, for the C library of most systems.
library() {
    mkdir "$tree/lib"
    env CACHE_LAB_COMMIT="$commit" CARGO_TARGET_DIR="$work/library" CARGO_PROFILE_RELEASE_LTO=fat \
        CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1 \
        cargo rustc --quiet --release --locked --target x86_64-unknown-linux-gnu -p papi --lib --crate-type staticlib ||
        fail "the library of lab cc does not build; does rustc have its target? rustup target add x86_64-unknown-linux-gnu"
    strip --strip-debug -o "$tree/lib/libpapi.a" "$work/library/x86_64-unknown-linux-gnu/release/libpapi.a"
}

# Programs in bin/, with checksums and a page that says how to start each.
programs() {
    [ -n "$built" ] || build
    mkdir "$tree/bin"
    for program in avail cm1 dgemm flops ge ge1 ge2 ge3 ge4 ge5 ge6 ge7 lab mm1 mm2 mm3 spark $extras; do
        [ -f "$built/$program$exe" ] || fail "there is no '$program$exe' in '$built'"
        cp "$built/$program$exe" "$tree/bin"
    done
    chmod +x "$tree"/bin/*
    case $target in x86_64-*-linux-*) library ;; esac
    cp scripts/cm1_proc.sh "$tree/bin"
    guide
    cp LICENSE-MIT LICENSE-APACHE "$tree"
    scripts/notices.sh --workspace --target "$target" >"$tree/THIRD-PARTY.txt" || fail "the licences of the libraries are not there; cargo fetch --locked loads them"
    # the handouts, in the folders that their links name
    for page in spark cm1 mm1 mm2 mm3 ge dgemm flops avail lab docs common/src; do
        mkdir -p "$tree/$page"
        cp "$page"/*.md "$tree/$page"
    done
    [ -z "$student" ] || rm -f "$tree/docs/faults.md" "$tree/docs/from-the-c-kit.md"
    [ -z "$manuals" ] || manuals
    sed "s/VERSION/$version${commit:++$commit}/; s/TRIPLE/$target/" scripts/kit_readme.md >"$tree/README.md"
    case $target in *-apple-*) ;; *) sed -i '/^macOS /d' "$tree/README.md" ;; esac
    case $target in *-windows-*) ;; *) sed -i '/^Windows /d' "$tree/README.md" ;; esac
    [ -d "$tree/lib" ] || sed -i '/^| `bin\/lab cc/d' "$tree/README.md"
    [ -z "$student" ] || sed -i '/^| `bin\/course/d; /^`lab.html`/d' "$tree/README.md"
    (cd "$tree" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
}

# The folders of the guide and the homework, with the kernels; `make` and
# `./cm1` work there too. Windows has no links.
guide() {
    grep -Ex '(cm1|dgemm|flops|ge|mm[123]|spark)/src/(kernel|[a-z]*_register|timing|unblocked|(rungs|kernels)/.*)\.rs|dgemm/(src/counting/theory\.rs|recorded\.csv)|common/report/src/accesses/mm[123]\.svg' "$work/known" |
        tar --create --file=- --files-from=- | tar --extract --file=- --directory="$tree"
    [ -z "$exe" ] || return 0
    for folder in cm1 ge mm1 mm2 mm3 spark; do
        for program in "$tree/bin/$folder" "$tree/bin/$folder"[1-7]; do
            [ ! -f "$program" ] || ln -s "../bin/$(basename "$program")" "$tree/$folder"
        done
        echo "all: ; @echo '$folder is compiled already; to change and compile it, take the sources of the kit'" >"$tree/$folder/Makefile"
    done
    ln -s ../bin/cm1_proc.sh "$tree/cm1"
}

# Man pages and completions, in the folders of a system's package.
manuals() {
    for pair in man1:man/man1 bash:bash-completion/completions zsh:zsh/site-functions fish:fish/vendor_completions.d; do
        mkdir -p "$tree/share/${pair#*:}"
        cp "$manuals/${pair%%:*}"/* "$tree/share/${pair#*:}"
    done
    if [ -n "$student" ] && [ -e "$tree/share/man/man1/course.1" ]; then
        fail "'$manuals' describes the instructor's programs; write the student's with: scripts/manuals.sh --student DIR"
    fi
}

# Unpacks the kit into an empty folder and resolves its libraries with no network and no cargo
# home, as every command of cargo does first; with --check, builds it too.
unpacked() {
    mkdir "$work/unpacked"
    tar --extract --gzip --file="$kit.part" --directory="$work/unpacked"
    offline() { (cd "$work/unpacked/$name" && env -u CARGO_TARGET_DIR CARGO_HOME="$work/home" cargo "$@" --offline --locked 2>"$work/cargo.log"); }
    offline metadata --format-version 1 >/dev/null || fail "the kit cannot be built where it is unpacked: $(cat "$work/cargo.log")"
    if [ -n "$check" ]; then
        say "building the kit as a student would, offline"
        offline build --quiet --release || fail "the kit does not build offline: $(cat "$work/cargo.log")"
    fi
}

if [ -n "$target" ]; then programs; else sources; fi

if [ "$ending" = zip ]; then
    find "$tree" -exec touch --date="@$stamp" {} +
    (cd "$work" && find "$name" | LC_ALL=C sort | zip -q -X "$work/kit.zip" -@) || fail "zip is not installed (Debian package zip)"
    mv "$work/kit.zip" "$kit.part"
else
    tar --create --gzip --file="$kit.part" --directory="$work" --sort=name --mtime="@$stamp" \
        --owner=0 --group=0 --numeric-owner "$name"
fi
[ -n "$target" ] || [ -z "$vendor" ] || unpacked
mv "$kit.part" "$kit"
say "$(du -h "$kit" | cut -f1) packed, $(du -sh "$tree" | cut -f1) unpacked"
echo "$kit"
