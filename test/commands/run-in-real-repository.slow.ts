// `issuewright run` on the sources of a public project, in the state in which a person leaves a folder in the middle of their
// own work.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../packages/local-github/src/model/server.ts';
import { whyNot } from '../../packages/sandbox/test/support.ts';
import { nativeGit } from '../support/git-server.ts';
import { runProgram, type Ended } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { asking, call, say } from './by-hand-scene.ts';

const PROJECT = 'node_modules/commander';
const FILE = 'lib/suggestSimilar.js';
const OLD = 'const distance = editDistance(word, candidate);';
const NEW =
  '// Case is no difference.\n    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());';
const TASK = 'Suggest names that differ in case';
const BRANCH = 'issuewright/suggest-names-that-differ-in-case';
const TRY = `node --input-type=module -e '
import { suggestSimilar } from "./lib/suggestSimilar.js";
console.log("suggested:" + suggestSimilar("--HELP", ["--help", "--quiet"]));'`;

let model: ModelServer | undefined;
afterEach(() => model?.close());

function newRepository(): string {
  const folder = path.join(temporaryDirectory(), 'commander');
  cpSync(PROJECT, folder, { recursive: true });
  nativeGit(folder, 'init', '-q', '-b', 'main');
  nativeGit(folder, 'add', '.');
  nativeGit(folder, 'commit', '-q', '-m', 'Begin');
  return folder;
}

/** What someone leaves in the middle of their work: of each kind of change one, and one in the file that the task is about. */
function leaveWork(folder: string): void {
  const change = (file: string, text: string) =>
    writeFileSync(path.join(folder, file), readFileSync(path.join(folder, file), 'utf8') + text);
  change('index.js', '// staged\n');
  writeFileSync(path.join(folder, 'lib/new.js'), '// staged and new\n');
  nativeGit(folder, 'add', 'index.js', 'lib/new.js');
  change('index.js', '// and changed since\n');
  change(FILE, '// not staged\n');
  rmSync(path.join(folder, 'lib/error.js'));
  mkdirSync(path.join(folder, 'notes'));
  writeFileSync(path.join(folder, 'notes/mine.md'), 'untracked\n');
}

/** All files of a folder with their bytes, those of git too, but for objects. */
function filesOf(folder: string): Map<string, string> {
  const below = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = below
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(path.join(folder, '.git/objects')));
  return new Map(
    files.map((file) => [path.relative(folder, file), readFileSync(file, 'latin1')] as const),
  );
}

/** Resolves with what a person would have committed: the same edit, by hand, in a clone. */
function editByHand(folder: string): { readonly clone: string; readonly tree: string } {
  const clone = path.join(temporaryDirectory(), 'clone');
  nativeGit(folder, 'clone', '-q', '--no-hardlinks', folder, clone);
  const file = path.join(clone, FILE);
  const text = readFileSync(file, 'utf8');
  expect(text.split(OLD)).toHaveLength(2);
  writeFileSync(file, text.replace(OLD, NEW));
  nativeGit(clone, 'commit', '-q', '-a', '-m', 'By hand');
  return { clone, tree: nativeGit(clone, 'rev-parse', 'HEAD^{tree}') };
}

const summary = 'Suggest names that differ in case\n\nThe distance ignores case.';
const change: Script['turns'] = [
  say(call('search_codebase', { query: 'suggest similar option names' })),
  { ...say(call('read_file', { path: FILE })), when: String.raw`lib/suggestSimilar\.js` },
  {
    ...say(call('edit_file', { path: FILE, old_text: OLD, new_text: NEW })),
    when: String.raw`function editDistance\(a, b\)`,
  },
];
const end = say(call('finish', { summary }));

async function runHere(
  folder: string,
  turns: Script['turns'],
  more: readonly string[] = [],
): Promise<Ended> {
  model = await startModelServer({ scripts: [{ turns }] });
  const environment = asking(model);
  return runProgram(['run', ...more, TASK], { directory: folder, environment });
}

it('commits exactly the edit to a branch, and touches neither files nor index of the user', async () => {
  const folder = newRepository();
  leaveWork(folder);
  const before = filesOf(folder);
  const head = nativeGit(folder, 'rev-parse', 'main');
  const { code, stdout, stderr } = await runHere(folder, [...change, end]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 commit on')]);

  const after = filesOf(folder);
  const added = [...after.keys()].filter((file) => !before.has(file));
  expect(added.filter((file) => !file.endsWith(`refs/heads/${BRANCH}`))).toEqual([]);
  for (const [file, bytes] of before) expect([file, after.get(file)]).toEqual([file, bytes]);

  const { clone, tree } = editByHand(folder);
  expect(nativeGit(folder, 'rev-parse', `${BRANCH}^`)).toBe(head);
  expect(nativeGit(folder, 'rev-parse', `${BRANCH}^{tree}`)).toBe(tree);
  const byHand = nativeGit(clone, 'diff', 'HEAD^', 'HEAD');
  expect(nativeGit(folder, 'diff', 'main', BRANCH)).toBe(byHand);

  const patch = path.join(temporaryDirectory(), 'printed.patch');
  writeFileSync(patch, stdout);
  nativeGit(clone, 'checkout', '-q', head);
  nativeGit(clone, 'apply', '--index', patch);
  expect(nativeGit(clone, 'write-tree')).toBe(tree);
  nativeGit(folder, 'fsck', '--strict');
});

const inSandbox = whyNot === '' ? it : it.skip;

inSandbox('runs the changed code in the sandbox, and keeps what that wrote out of it', async () => {
  const folder = newRepository();
  const turns = [
    say(call('run_shell_command', { command: TRY })),
    { ...change[0]!, when: 'suggested:(?![^]*Did you mean)' },
    ...change.slice(1),
    say(call('run_shell_command', { command: TRY })),
    { ...end, when: String.raw`suggested:\s*\(Did you mean --help\?\)` },
  ];
  const { code, stderr } = await runHere(folder, turns, ['--allow-dangerous-tools']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 commit on')]);
  expect(nativeGit(folder, 'rev-parse', `${BRANCH}^{tree}`)).toBe(editByHand(folder).tree);
  expect(nativeGit(folder, 'status', '--porcelain')).toBe('');
});
