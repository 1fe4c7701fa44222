// A process of its own: makes trees that commands can leave, in the directory that it is given, and
// removes them. Prints what is left.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ContainedTree } from '../../src/workspace/files/contained-tree.ts';
import { removeTree, removeTreeSync } from '../../src/workspace/remove-tree.ts';

const NAME = 'a'.repeat(200);
const TREES: Readonly<Record<string, string>> = {
  'many directories without a right to write, as Go leaves its module cache':
    'for d in $(seq 40); do mkdir -p $d/a/b && touch $d/a/b/$(seq -s " $d/a/b/" 20); done; chmod -R 555 .',
  'directories without any right':
    'mkdir -p a/b/c d/e && touch a/b/c/f d/e/f && chmod 0 a/b/c a/b a d/e',
  'its own directory closed': 'touch a && chmod 0 .',
  'deeper than any path, and closed on the way': `for _ in $(seq 25); do mkdir ${NAME}; chmod 500 .; cd -P ${NAME}; done`,
  'names like options, blanks and line ends':
    "mkdir -- -rf ' ' $'a\\nb' && touch -- -rf/-i $'\\xff' && chmod 555 -- -rf",
  'links that lead out of it':
    'ln -s ../outside out && mkdir in && ln -s ../../outside in/out && chmod 555 in',
  'pipes and files without rights': 'mkfifo pipe && touch file && chmod 0 file pipe',
};

const parent = process.argv[2] ?? '';
mkdirSync(join(parent, 'outside/kept'), { recursive: true });
const ways: readonly (() => Promise<void> | void)[] = [
  () => removeTree(join(parent, 'tree')),
  () => new ContainedTree(parent).at(['tree'], removeTreeSync),
];
for (const [name, script] of Object.entries(TREES))
  for (const remove of ways) {
    const tree = join(parent, 'tree');
    mkdirSync(tree);
    execFileSync('bash', ['--norc', '-c', script], { cwd: tree });
    let fault = '';
    try {
      await remove();
    } catch (error) {
      fault = String(error);
    }
    const left = readdirSync(parent).join();
    if (fault !== '' || left !== 'outside')
      process.stdout.write(`${name}: ${fault} ${left}`.slice(0, 300));
  }

const both: readonly ((path: string) => Promise<void> | void)[] = [removeTree, removeTreeSync];

// A link that cannot be removed: what it leads to stays as it is.
const outside = join(parent, 'outside');
const closed = join(parent, 'closed');
mkdirSync(closed);
symlinkSync(outside, join(closed, 'link'));
for (const remove of both) {
  chmodSync(outside, 0o500);
  chmodSync(closed, 0o500);
  try {
    await remove(join(closed, 'link'));
  } catch {
    // Only root can remove it.
  }
  const mode = (statSync(outside).mode & 0o777).toString(8);
  if (mode !== '500') process.stdout.write(`what a link leads to has now mode ${mode}`);
  for (const directory of [closed, outside]) chmodSync(directory, 0o700);
}

// A program of the tree that is named as one of the system's, and a PATH with an empty entry.
process.env['PATH'] = `:${process.env['PATH']}`;
const ran = join(parent, 'ran');
for (const remove of both) {
  mkdirSync(join(parent, 'around/tree'), { recursive: true });
  writeFileSync(join(parent, 'around/rm'), `#!/bin/sh\n: > '${ran}'\n`);
  chmodSync(join(parent, 'around/rm'), 0o755);
  process.chdir(join(parent, 'around'));
  await remove(join(parent, 'around/tree'));
  if (existsSync(ran)) process.stdout.write('a program of the tree ran');
  process.chdir('/');
  rmSync(ran, { force: true });
}
