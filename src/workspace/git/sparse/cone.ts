// Which directories of a commit a sparse work tree has, as git's cone mode decides it: those that are named, with all that is
// below them, and of the directories above them the files alone.

/** `whole`: with all below it; `files`: with its own files, and directories that are looked at one by one. */
export type InCone = 'whole' | 'files' | 'outside';

/** Tells what a work tree has of a directory, given without a slash at its end; the root is empty. */
export function coneOf(directories: readonly string[]): (directory: string) => InCone {
  const above = new Set(['']);
  for (const directory of directories)
    for (let end = directory.lastIndexOf('/'); end > 0; end = directory.lastIndexOf('/', end - 1))
      above.add(directory.slice(0, end));
  return (directory) => {
    if (directories.some((named) => `${directory}/`.startsWith(`${named}/`))) return 'whole';
    return above.has(directory) ? 'files' : 'outside';
  };
}
