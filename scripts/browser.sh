# For the tests that drive a browser, which source this file in the repository's root. Sets
# `work` (a temporary folder), NODE_PATH and WEB_TEST_BROWSER. If one of these is missing,
# prints which, and exits successfully.
skip() { echo "note: the page is not tested in a browser: $1"; exit 0; }

command -v node >/dev/null || skip "there is no node"
WEB_TEST_BROWSER=${WEB_TEST_BROWSER:-$(command -v chromium || command -v google-chrome || true)}
[ -n "$WEB_TEST_BROWSER" ] || skip "there is no Chromium"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${NODE_PATH:-}" ]; then
    npm install --silent --no-audit --no-fund --prefix "$work" playwright-core@1.63 axe-core >/dev/null 2>&1 ||
        skip "npm cannot install playwright-core and axe-core"
    NODE_PATH=$work/node_modules
fi
export NODE_PATH WEB_TEST_BROWSER
