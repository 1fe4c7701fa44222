import { shownPath } from '../../lib/text/invisible.ts';

const MAX_NAMED = 5;

/** What a search says of directories that the workspace does not have; nothing if there are none. */
export function outsideRemark(directories: readonly string[] = []): string[] {
  if (directories.length === 0) return [];
  const named = directories.slice(0, MAX_NAMED).map((path) => `${shownPath(path)}/`);
  const more =
    directories.length > named.length ? ` and ${directories.length - named.length} more` : '';
  return [`(not searched, because outside of the workspace: ${named.join(', ')}${more})`];
}
