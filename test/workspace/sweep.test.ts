import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import {
  makeTemporaryDirectory,
  removeTree,
  sweepWorkspaces,
} from '../../src/workspace/temporary-directory.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

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

  expect(await sweepWorkspaces(parent)).toEqual({ removed: 1, left: [] });
  expect(existsSync(place(`issuewright-${dead}-abcdef`))).toBe(false);
  for (const name of ['elsewhere', `issuewright-${process.ppid}-abcdef`, `other-${dead}-abcdef`])
    expect(existsSync(place(name))).toBe(true);
  expect(existsSync(mine)).toBe(true);
  utimesSync(mine, 0, 0);
  expect(await sweepWorkspaces(parent)).toEqual({ removed: 0, left: [] });
});

it('bears with others that remove the same things at the same time', async () => {
  const parent = temporaryDirectory();
  const dead = spawnSync(process.execPath, ['--version']).pid;
  for (let at = 100_000; at < 100_200; at += 1)
    mkdirSync(join(parent, `issuewright-${dead}-${at}/in/side`), { recursive: true });
  const all = await Promise.all(Array.from({ length: 12 }, () => sweepWorkspaces(parent)));
  expect(all.flatMap(({ left }) => left)).toEqual([]);
  expect(readdirSync(parent)).toEqual([]);
});

const NAME = 'a'.repeat(200);
const DEEP = `for _ in $(seq 25); do mkdir ${NAME}; cd -P ${NAME}; done`;

it('removes a tree that goes deeper than any path', async () => {
  const tree = join(temporaryDirectory(), 'tree');
  mkdirSync(tree);
  const made = spawnSync('bash', ['-c', DEEP], { cwd: tree, encoding: 'utf8' });
  expect(made.stderr).toBe('');
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
});

it('removes a tree in which a command closed a directory', async () => {
  for (let round = 0; round < 10; round += 1) {
    const tree = join(temporaryDirectory(), 'tree');
    for (let at = 0; at < 50; at += 1) mkdirSync(join(tree, `${at}/in/side`), { recursive: true });
    mkdirSync(join(tree, 'closed'));
    writeFileSync(join(tree, 'closed/file'), '');
    chmodSync(join(tree, 'closed'), 0o555);
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
  }
});
