import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredChange } from '../../src/contracts/files.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import type { GitServer, TestRepository } from '../support/git-server.ts';
import { open } from './support.ts';

/** A workspace, what was stored of it, and a way to do what a command would do. */
export async function openScene(
  server: GitServer,
  repository: TestRepository,
  options: Parameters<typeof open>[2] = {},
) {
  const workspace: Workspace = await open(server, repository, options);
  const { directory, watch } = workspace.commands;
  const stored = new Map<string, StoredChange>();
  const keep = async (): Promise<string[]> => {
    const changes = await workspace.drain();
    for (const change of changes) stored.set(change.path, change);
    return changes.map(({ path }) => path);
  };
  const read = async () => [...stored.values()];
  const at = (path: string): string => join(directory, path);
  return {
    workspace,
    at,
    keep,
    /** What was stored. */
    read,
    text: (path: string) => readFileSync(at(path), 'utf8'),
    /** What came of a command, kept with its result. */
    command: async (act: () => void, options?: Parameters<typeof watch.end>[1]) => {
      await watch.begin();
      act();
      const changes = await watch.end(read, options);
      return { ...changes, drained: await keep() };
    },
    takeBack: async (act: () => void) => {
      await watch.begin();
      act();
      await watch.takeBack(read);
    },
  };
}
