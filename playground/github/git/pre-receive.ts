/**
 * A hook that rejects pushes; git shows its message as `remote: …`. It rejects what a test ordered (the file
 * `deny-push` contains the message), and, like GitHub, workflow files without the permission for them.
 */
export const PRE_RECEIVE_HOOK = `#!/bin/sh
if [ -f deny-push ]; then
  cat deny-push >&2
  exit 1
fi
[ "$LOCAL_GITHUB_WORKFLOWS" = allowed ] && exit 0
while read -r old new ref; do
  case "$new" in *[!0]*) ;; *) continue ;; esac
  for commit in $(git rev-list "$new" --not --all); do
    file=$(git diff-tree -r --name-only --no-commit-id --root "$commit" -- .github/workflows | head -n 1)
    if [ -n "$file" ]; then
      echo "refusing to allow a GitHub App to create or update workflow \\\`$file\\\` without \\\`workflows\\\` permission" >&2
      exit 1
    fi
  done
done
exit 0
`;
