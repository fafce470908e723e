#!/usr/bin/env bash
# The hook of pre-commit: holdfast validate, from this checkout. Its packages are installed here the first time. As a hook of
# language node it would be installed into node_modules, where Node runs no TypeScript.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# npm writes this file when all is installed.
[ -e "$root/node_modules/.package-lock.json" ] || (cd "$root" && npm ci --no-audit --no-fund >&2)
exec "$root/src/cli/holdfast.mjs" validate "$@"
