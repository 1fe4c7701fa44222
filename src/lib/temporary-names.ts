// The names of directories for temporary files. Each has the id of the process that made it, so that a later process can
// recognise what one left that was killed.

const NAME = /^issuewright-(\d+)-\w{6}$/;

/** How the name of a directory begins that this process makes. Six letters or digits follow. */
export const TEMPORARY_PREFIX = `issuewright-${process.pid}-`;

/** The id of the process that made a directory of this name; `undefined` if it is not a name of ours. */
export function makerOf(name: string): number | undefined {
  const [, pid] = NAME.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
}
