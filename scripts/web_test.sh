#!/bin/sh
# Makes lab.html and drives it in a browser; where something for that is
# missing, says what, and is content.
#
# usage: scripts/web_test.sh [--loads N]    N measurements of this computer
set -eu
skip() { echo "note: the page is not tested in a browser: $1"; exit 0; }

root=$(dirname "$(dirname "$(readlink -f "$0")")")
cd "$root"
rustc --print target-libdir --target wasm32-unknown-unknown 2>/dev/null | xargs -r test -d ||
    skip "rustup target add wasm32-unknown-unknown is missing"
command -v node >/dev/null || skip "there is no node"
browser=${WEB_TEST_BROWSER:-$(command -v chromium || command -v google-chrome || true)}
[ -n "$browser" ] || skip "there is no Chromium"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${NODE_PATH:-}" ]; then
    npm install --silent --no-audit --no-fund --prefix "$work" playwright-core axe-core >/dev/null 2>&1 ||
        skip "npm cannot install playwright-core and axe-core"
    NODE_PATH=$work/node_modules
fi
cargo run --quiet --release -p lab -- web --out "$work/lab.html"
cargo build --quiet --release -p web --example answer
NODE_PATH=$NODE_PATH WEB_TEST_BROWSER=$browser \
    node scripts/web_test.mjs "$work/lab.html" "${CARGO_TARGET_DIR:-target}/release/examples/answer" "$@"
