// The segments of one index, as files in a directory. Only the holder of its lock adds and removes any, but for what is damaged.
import { randomUUID } from 'node:crypto';
import { readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../../../lib/errors.ts';
import { DamagedSegment, Segment } from './segment.ts';

const SEGMENT = '.words';
/** What is being written. */
const MAKING = '.making';

export const newSegment = (directory: string): string => join(directory, randomUUID() + SEGMENT);
export const newMaking = (directory: string): string => join(directory, randomUUID() + MAKING);

/** Names of what can be read; `undefined` if there is no index. */
export function segmentsIn(directory: string): string[] | undefined {
  return namesIn(directory, SEGMENT);
}

/** What a process left that was killed. */
export function removeLeftovers(directory: string): void {
  for (const name of namesIn(directory, MAKING) ?? []) removeFile(join(directory, name));
}

function namesIn(directory: string, ending: string): string[] | undefined {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(ending))
      .toSorted();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** Opens what is whole. Removes what is not, so that it is made again. */
export function openSegments(directory: string, names: readonly string[]): Segment[] {
  const segments: Segment[] = [];
  try {
    for (const path of names.map((name) => join(directory, name))) {
      const segment = unlessDamaged(path, () => new Segment(path));
      if (segment !== undefined) segments.push(segment);
    }
    return segments;
  } catch (error) {
    for (const segment of segments) segment.close();
    throw error;
  }
}

/** `undefined` if the segment at a path is damaged, which removes it, or gone. */
export function unlessDamaged<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedSegment) removeFile(path);
    else if (!hasCode(error, 'ENOENT')) throw error;
    return undefined;
  }
}
