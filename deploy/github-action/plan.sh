#!/usr/bin/env bash
# Writes the plan as Markdown for the comment and for the summary of the run. Fails never: the exit code is an output.
set -uo pipefail
text="$RUNNER_TEMP/holdfast-plan.md" told="$RUNNER_TEMP/holdfast-plan.txt" code=0
arguments=("$MANIFESTS" --state-dir "$STATE_DIR" --output markdown --detailed-exitcode)
[ -z "$SECRETS_DIR" ] || arguments+=(--secrets-dir "$SECRETS_DIR")
holdfast plan "${arguments[@]}" >"$text" 2>"$told" || code=$?
cat "$told" >&2
{
  # By its first line the comment is found again.
  printf '<!-- %s -->\n' "$TITLE"
  sed "1s/^### .*/### ${TITLE//[\/&\\]/\\&}/" "$text"
  [ -s "$text" ] || printf '### %s\n\nThere is no plan.\n' "$TITLE"
  if [ -s "$told" ]; then printf '\n```text\n%s\n```\n' "$(cat "$told")"; fi
} >"$RUNNER_TEMP/holdfast-comment.md"
cat "$RUNNER_TEMP/holdfast-comment.md" >>"$GITHUB_STEP_SUMMARY"
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
