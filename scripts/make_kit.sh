#!/bin/sh
# Packs the kit for students: sources, and all that is needed to build them
# without a network; with --binaries also the programs, for rooms without Rust.
#
# usage: scripts/make_kit.sh [--binaries] [--no-vendor] [--check] [FILE.tar.gz]
#
#     --binaries   build the programs and put them into bin/, with cm1_proc.sh
#     --no-vendor  leave the libraries' sources out: building needs a network
#     --check      unpack the kit, build it with no network and no cargo home
set -eu

fail() { echo "make_kit.sh: $1" >&2; exit "${2:-1}"; }

binaries= vendor=yes check= kit=
while [ $# -gt 0 ]; do
    case $1 in
        --binaries) binaries=yes ;;
        --no-vendor) vendor= ;;
        --check) check=yes ;;
        -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0"; exit 0 ;;
        -*) fail "there is no option '$1'; see --help" 2 ;;
        *) [ -z "$kit" ] || fail "one file name is enough: '$kit' or '$1'" 2; kit=$1 ;;
    esac
    shift
done
[ -z "$check" ] || [ -n "$vendor" ] || fail "--check needs the libraries' sources: leave out --no-vendor" 2

root=$(dirname "$(dirname "$(readlink -f "$0")")")
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")
name=cache-lab-$version
kit=${kit:-$name.tar.gz}
case $kit in /*) ;; *) kit=$PWD/$kit ;; esac
[ -w "$(dirname "$kit")" ] || fail "cannot write into '$(dirname "$kit")'; give another file name"
command -v cargo >/dev/null || fail "cargo is not here; install Rust from https://rustup.rs"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
tree=$work/$name
mkdir "$tree"

cd "$root"
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    # What is tracked, as it is now; a changed file travels changed.
    git ls-files -z | tar --null --files-from=- --create --file=- | tar --extract --file=- --directory="$tree"
    stamp=$(git log -1 --format=%ct)
else
    tar --create --file=- --exclude=./target --exclude=./vendor --exclude="./*.tar.gz" . | tar --extract --file=- --directory="$tree"
    stamp=$(date +%s)
fi

if [ -n "$vendor" ]; then
    echo "make_kit.sh: collecting the libraries' sources" >&2
    mkdir -p "$tree/.cargo"
    (cd "$tree" && cargo vendor --locked vendor 2>"$work/vendor.log" >>.cargo/config.toml) ||
        fail "cargo vendor failed: $(tail -1 "$work/vendor.log"); a network is needed once, or --no-vendor"
fi

if [ -n "$binaries" ]; then
    echo "make_kit.sh: building the programs" >&2
    built=${CARGO_TARGET_DIR:-$root/target}/release
    cargo build --quiet --release --locked --workspace || fail "the programs do not build"
    mkdir "$tree/bin"
    find "$built" -maxdepth 1 -type f -perm -u+x ! -name '*.so' -exec cp {} "$tree/bin" \;
    cp scripts/cm1_proc.sh "$tree/bin"
fi

tar --create --gzip --file="$kit.part" --directory="$work" --sort=name --mtime="@$stamp" \
    --owner=0 --group=0 --numeric-owner "$name"
mv "$kit.part" "$kit"

if [ -n "$check" ]; then
    echo "make_kit.sh: building the kit as a student would, offline" >&2
    mkdir "$work/student"
    tar --extract --gzip --file="$kit" --directory="$work/student"
    (cd "$work/student/$name" && env -u CARGO_TARGET_DIR CARGO_HOME="$work/home" cargo build --quiet --release --offline --locked) ||
        fail "the kit does not build offline"
fi
echo "$kit"
