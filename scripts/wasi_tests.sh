#!/usr/bin/env bash
# Runs the tests of the portable crates as WebAssembly.
#
# usage: scripts/wasi_tests.sh [CARGO-TEST-OPTION...]
#
# Needs rustup (for the target wasm32-wasip1) and Python; makes a virtual
# environment in target/wasi with the runtime wasmtime in it.
set -euo pipefail
cd "$(dirname "$0")/.."
place=${CARGO_TARGET_DIR:-target}/wasi

rustup -q target add wasm32-wasip1
[ -x "$place/bin/python" ] || python3 -m venv "$place"
"$place/bin/python" -c 'import wasmtime' 2>/dev/null || "$place/bin/pip" install --quiet wasmtime
export CARGO_TARGET_WASM32_WASIP1_RUNNER="$(realpath "$place")/bin/python $PWD/scripts/wasi_run.py"
# shellcheck disable=SC2046
cargo test --target wasm32-wasip1 $(scripts/layers.py --portable | sed 's/^/-p /') -p isa "$@"
