// Tests that run the project's code as another user need root, and a checkout that this user can read.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const NOBODY = 65_534;
export const isRoot = process.getuid?.() === 0;

/** Why no other user can run the project's code from here; empty if another user can. */
export const whyNoOtherUser = isRoot ? probe() : 'only root can start a process of another user';

/** By starting one: the modes of the files, of the directories above them and the mounts all count. */
function probe(): string {
  const { status } = spawnSync(process.execPath, ['--check', fileURLToPath(import.meta.url)], {
    cwd: '/',
    uid: NOBODY,
    gid: NOBODY,
    stdio: 'ignore',
  });
  return status === 0 ? '' : `no other user can read ${ROOT}`;
}
