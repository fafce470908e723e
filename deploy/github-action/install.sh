#!/usr/bin/env bash
# Puts `holdfast` of the checkout that this action is from on the path, unless there is one.
set -euo pipefail
if command -v holdfast >/dev/null; then exit 0; fi
root=$(cd "$GITHUB_ACTION_PATH/../.." && pwd)
(cd "$root" && npm ci --no-audit --no-fund)
mkdir -p "$RUNNER_TEMP/holdfast-bin"
ln -sf "$root/src/cli/holdfast.mjs" "$RUNNER_TEMP/holdfast-bin/holdfast"
echo "$RUNNER_TEMP/holdfast-bin" >>"$GITHUB_PATH"
