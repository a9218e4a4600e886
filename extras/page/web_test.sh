#!/bin/sh
# Makes lab.html and drives it in Chromium; with --full, also in Firefox, with measurements to their end. If a tool
# for that is missing, prints which, and exits successfully.
#
# usage: extras/page/web_test.sh [--full] [--loads N] [--only PART,PART]
# N measurements of this computer; only these functions of web_test.mjs
set -eu
cd "$(dirname "$(readlink -f "$0")")/../.."
. scripts/browser.sh
rustc --print target-libdir --target wasm32-unknown-unknown 2>/dev/null | xargs -r test -d ||
    skip "rustup target add wasm32-unknown-unknown is missing"

cargo build --quiet --release -p lab -p course -p page --bins --example answer
built=${CARGO_TARGET_DIR:-target}/release
"$built/page" --output "$work/lab.html"
drive() { node extras/page/web_test.mjs "$work/lab.html" "$built/examples/answer" "$built" "$@"; }
drive "$@"
case " $* " in *" --full "*) ;; *) exit ;; esac
WEB_TEST_FIREFOX=${WEB_TEST_FIREFOX:-$(command -v firefox || command -v firefox-esr || true)}
export WEB_TEST_FIREFOX
[ -n "$WEB_TEST_FIREFOX" ] || skip "there is no Firefox"
drive --firefox "$@"
