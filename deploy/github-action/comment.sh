#!/usr/bin/env bash
# Writes the plan into the comment that has the marker in its first line, or into a new one.
set -euo pipefail
whole="$RUNNER_TEMP/holdfast-comment.md" body="$RUNNER_TEMP/holdfast-comment-cut.md"
marker=$(head -n 1 "$whole")
bytes_max=60000 # GitHub takes no longer comments than 65536
head -c "$bytes_max" "$whole" >"$body"
if [ "$(wc -c <"$whole")" -gt "$bytes_max" ]; then
  printf '\n```\n\nThis is not all of it. The whole plan is in the summary of the run.\n' >>"$body"
fi
comments="repos/$GITHUB_REPOSITORY/issues"
listed=$(gh api --paginate "$comments/$PULL_REQUEST/comments" --jq '.[] | "\(.id) \(.body | split("\n")[0])"')
id=$(printf '%s\n' "$listed" | tr -d '\r' | while read -r number first; do
  if [ "$first" = "$marker" ]; then echo "$number"; fi
done | head -n 1)
if [ -n "$id" ] && gh api --method PATCH "$comments/comments/$id" --field "body=@$body" --silent; then exit 0; fi
# Pull requests from forks have tokens that only read.
gh api --method POST "$comments/$PULL_REQUEST/comments" --field "body=@$body" --silent ||
  echo '::warning::The plan could not be written as a comment; it is in the summary of the run.'
