import type { Files } from '../../src/contracts/files.ts';
import { canBeNamed } from '../../src/workspace/files/path-policy.ts';

/** The paths of all files below a directory that are not ignored, as the file tools list them. */
export async function filesBelow(files: Pick<Files, 'list'>, directory = ''): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind, isIgnored } of await files.list(directory)) {
    const path = directory === '' ? name : `${directory}/${name}`;
    if (isIgnored || !canBeNamed(path)) continue;
    if (kind === 'directory') found.push(...(await filesBelow(files, path)));
    if (kind === 'file') found.push(path);
  }
  return found.toSorted();
}
