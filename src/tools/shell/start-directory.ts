import type { Ports } from '../ports.ts';

/**
 * The directory that a command starts in, from the root; empty: there.
 * @throws {TellModel} for a path that is no directory of the repository
 */
export async function startDirectory(files: Ports['files'], directory: string): Promise<string> {
  const path = directory.trim().replace(/^\.\/|\/+$/g, '');
  if (path === '' || path === '.') return '';
  await files.list(path);
  return path;
}
