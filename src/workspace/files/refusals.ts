import { TellModel } from '../../lib/errors.ts';
import { hasCode } from '../error-code.ts';
import { IsSymbolicLink } from './open-directory.ts';
import { quotePath } from './path-policy.ts';
import { FileTooLarge, NotPlainFile } from './plain-file.ts';

/** Runs file access; what goes wrong in an expected way becomes words for the model. */
export async function inWords<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const words = wordsFor(error);
    if (words === undefined) throw error;
    throw new TellModel(`${quotePath(path)} ${words}`, { cause: error });
  }
}

function wordsFor(error: unknown): string | undefined {
  if (error instanceof IsSymbolicLink)
    return 'leads through a symbolic link, and links are never followed: name the real file.';
  if (error instanceof NotPlainFile)
    return 'is no plain file (a device, a pipe, or a file with a second name): leave it as it is.';
  if (error instanceof FileTooLarge)
    return `has ${error.size} bytes, and at most ${error.limit} can be handled here: search in it instead.`;
  if (hasCode(error, 'ENOENT')) return 'does not exist: list its directory to see what does.';
  if (hasCode(error, 'ENOTDIR'))
    return 'leads through a file, or is one: only directories hold files.';
  if (hasCode(error, 'EISDIR')) return 'is a directory: list it, or name a file in it.';
  if (hasCode(error, 'ENAMETOOLONG')) return 'is too long for the file system: use a shorter path.';
  return undefined;
}
