// A process with mounts of its own: makes trees with what a command can mount in them, in the directory that it is
// given, and tries to remove and to undo them. Prints what was said, and what is left.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/lib/errors.ts';
import { WorkTree } from '../../src/workspace/git/work-tree.ts';
import { removeTree, removeTreeSync } from '../../src/workspace/remove-tree.ts';

const parent = process.argv[2] ?? '';
const outside = join(parent, 'outside');
mkdirSync(outside);
writeFileSync(join(outside, 'kept'), 'kept');

const MOUNTS = {
  directory: 'mkdir -p in/side && mount --bind ../outside in/side',
  'with a blank': "mkdir 'a b' && mount --bind ../outside 'a b'",
  file: 'touch file && mount --bind ../outside/kept file',
  itself: 'mount --bind ../outside .',
};
const base = {
  commit: '',
  tree: '',
  files: new Map(),
  submodules: new Set<string>(),
  undecodable: new Set<string>(),
  outside: new Set<string>(),
  isWhole: true,
};
const none = async (): Promise<undefined> => undefined;
const ways = [
  (tree: string) => removeTree(tree),
  async (tree: string) => removeTreeSync(tree),
  async (tree: string) =>
    void new WorkTree(tree).look(base, {
      files: 10,
      bytes: 10_000,
      recorded: new Map(),
    }),
  (tree: string) => new WorkTree(tree).revert(base, none, { rewritten: [] }),
];
for (const [name, script] of Object.entries(MOUNTS))
  for (const [way, remove] of ways.entries()) {
    const tree = join(parent, `${name} ${way}`);
    mkdirSync(tree);
    execFileSync('sh', ['-c', script], { cwd: tree });
    let said = 'nothing';
    try {
      await remove(tree);
    } catch (error) {
      said = messageOf(error);
    }
    const left = existsSync(join(outside, 'kept')) ? 'kept' : 'LOST';
    process.stdout.write(`${name}, ${way}: ${said}; ${left}\n`);
  }
const plain = join(parent, 'plain');
mkdirSync(join(plain, 'in'), { recursive: true });
await removeTree(plain);
if (existsSync(plain)) process.stdout.write('LEFT\n');
