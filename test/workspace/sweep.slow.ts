import { spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { makeTemporaryDirectory, sweepWorkspaces } from '../../src/workspace/work-directory.ts';
import { NOBODY, whyNoOtherUser } from '../support/other-user.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const none = (): void => {};

it('removes what dead processes of ours left, and nothing else', async () => {
  const parent = temporaryDirectory();
  const dead = spawnSync(process.execPath, ['--version']).pid;
  const place = (name: string): string => join(parent, name);
  mkdirSync(place(`issuewright-${dead}-abcdef`));
  writeFileSync(place(`issuewright-${dead}-abcdef/file`), '');
  mkdirSync(place(`issuewright-${process.ppid}-abcdef`));
  mkdirSync(place(`issuewright-${dead}-notes`));
  mkdirSync(place(`other-${dead}-abcdef`));
  mkdirSync(place('elsewhere'));
  symlinkSync('elsewhere', place(`issuewright-${dead}-linked`));
  const mine = await makeTemporaryDirectory(parent);
  expect(statSync(mine).mode & 0o777).toBe(0o700);

  expect(await sweepWorkspaces(none, parent)).toEqual({ removed: 1, left: [] });
  expect(existsSync(place(`issuewright-${dead}-abcdef`))).toBe(false);
  for (const name of ['elsewhere', `issuewright-${process.ppid}-abcdef`, `other-${dead}-abcdef`])
    expect(existsSync(place(name))).toBe(true);
  expect(existsSync(mine)).toBe(true);
  utimesSync(mine, 0, 0);
  expect(await sweepWorkspaces(none, parent)).toEqual({ removed: 0, left: [] });
});

it('bears with others that remove the same things at the same time', async () => {
  const parent = temporaryDirectory();
  const dead = spawnSync(process.execPath, ['--version']).pid;
  for (let at = 100_000; at < 100_020; at += 1)
    mkdirSync(join(parent, `issuewright-${dead}-${at}/in/side`), { recursive: true });
  const all = await Promise.all(Array.from({ length: 6 }, () => sweepWorkspaces(none, parent)));
  expect(all.flatMap(({ left }) => left)).toEqual([]);
  expect(readdirSync(parent)).toEqual([]);
});

it.each([
  ['this user', '', undefined],
  ['another user', whyNoOtherUser, NOBODY],
])(
  'removes any tree that a command can leave, as %s %s, and touches nothing else',
  (_who, whyNot, uid) => {
    if (whyNot !== '') return;
    const parent = temporaryDirectory();
    if (uid !== undefined) chownSync(parent, uid, uid);
    const script = fileURLToPath(new URL('remove-trees.ts', import.meta.url));
    const user = uid === undefined ? {} : { uid, gid: uid };
    const { stdout, stderr } = spawnSync(process.execPath, [script, parent], {
      ...user,
      cwd: '/',
      encoding: 'utf8',
    });
    expect(stderr + stdout).toBe('');
  },
);

const ownMounts = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];
const canMount =
  spawnSync('unshare', [...ownMounts, 'mount', '--bind', '/tmp', '/tmp']).status === 0;

(canMount ? it : it.skip)('never deletes what is mounted in a tree, and says what stays', () => {
  const script = fileURLToPath(new URL('mounted-trees.ts', import.meta.url));
  const command = [...ownMounts, process.execPath, script, temporaryDirectory()];
  const { stdout, stderr } = spawnSync('unshare', command, { encoding: 'utf8' });
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(16);
  for (const line of lines)
    expect(line).toMatch(
      /(?:is a mount: what is mounted is never deleted|A command mounted).*; kept$/,
    );
});

const isImmutable = (path: string, is: boolean): boolean =>
  spawnSync('chattr', [is ? '+i' : '-i', path]).status === 0;

it('says which files stay if the system does not delete them', async () => {
  const parent = temporaryDirectory();
  const dead = spawnSync(process.execPath, ['--version']).pid;
  const tree = join(parent, `issuewright-${dead}-abcdef`);
  mkdirSync(tree);
  writeFileSync(join(tree, 'fixed'), '');
  if (!isImmutable(join(tree, 'fixed'), true)) return;
  try {
    const { removed, left } = await sweepWorkspaces(none, parent);
    expect([removed, left]).toEqual([
      0,
      [{ path: tree, reason: expect.stringMatching(/stays in part: .*fixed.* not permitted/) }],
    ]);
  } finally {
    isImmutable(join(tree, 'fixed'), false);
  }
});
