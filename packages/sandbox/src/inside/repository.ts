// The git directory of commands: of their own, over objects that they can only read.
import { existsSync, lstatSync, rmdirSync } from 'node:fs';
import { chmod, lchown } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandRepository } from '../../../../src/contracts/shell.ts';
import { SYSTEM_PATH } from '../../../../src/lib/directories.ts';
import { unlessItFails } from '../../../../src/lib/errors.ts';
import type { CommandUser } from '../users/identity.ts';
import { INSIDE } from './environment.ts';

const NAME = '.git';

/** Whether commands find the program git. */
export const hasGit = (toolchains: readonly string[]): boolean =>
  [...SYSTEM_PATH, ...toolchains.flatMap((path) => [path, join(path, 'bin')])].some((directory) =>
    existsSync(join(directory, 'git')),
  );

/** Whether a workspace has room for the git directory of commands: nothing else may be in its place. */
export const hasRoom = (workspace: string): boolean =>
  lstatSync(join(workspace, NAME), { throwIfNoEntry: false }) === undefined;

/** Lets the commands' user, and nobody else, read what the service gives. */
export async function giveRepository(
  { directory }: CommandRepository,
  identity: CommandUser | undefined,
): Promise<void> {
  if (identity === undefined) return;
  await lchown(directory, identity.uid, identity.gid);
  await chmod(directory, 0o700);
}

/** Arguments that mount it. `own` is the directory that commands may write to. */
export const repositoryMounts = ({ directory }: CommandRepository, own: string): string[] => [
  '--ro-bind',
  directory,
  INSIDE.repository,
  '--bind',
  own,
  join(INSIDE.workspace, NAME),
];

/**
 * Call once no command runs: removes the directory that bubblewrap mounted the git directory on. It is empty, because
 * commands never reached it.
 */
export function removeMountPoint(workspace: string): void {
  unlessItFails(() => rmdirSync(join(workspace, NAME)));
}

/** What of the git directory outlives it, if there is a stash: git's names for that, and its loose objects. */
const KEEP_STASH = `rm -rf .kept
[ -f refs/stash ] && mkdir .kept && mv objects refs/stash logs .kept`;
const GIVE_BACK_STASH = `[ -f .kept/stash ] && mv .kept/logs . && mv .kept/objects/[0-9a-f][0-9a-f] objects && mv .kept/stash refs
rm -rf .kept`;

/**
 * A script for process 1 that makes the git directory, and makes it again if the repository has changed. It opens nothing that
 * commands may have put there. But for a stash, which is moved unread, whatever they left is gone then; no index is locked, because no other command runs. If it fails, there is no git directory.
 */
export const prepareRepository = ({ tree, version }: CommandRepository): string => `(
cd ${INSIDE.workspace}/${NAME} || { chmod u+rwx ${INSIDE.workspace}/${NAME} && cd ${INSIDE.workspace}/${NAME}; } || exit
[ -e 'made-${version}' ] && { [ ! -e index.lock ] || rm -f index.lock; exit; }
${KEEP_STASH}
rm -rf ./*
cp -R ${INSIDE.repository}/template/. . &&
GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_DIR=. git read-tree ${tree} &&
: > 'made-${version}' || rm -rf ./*
${GIVE_BACK_STASH}
) > /dev/null 2>&1
`;
