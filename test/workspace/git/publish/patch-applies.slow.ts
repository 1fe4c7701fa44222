// A patch, from a workspace to a comment on GitHub, and from there into a shell.
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import MarkdownIt from 'markdown-it';
import { patchesFor } from '../../../../src/app/run/ports/patches.ts';
import { publicGit } from '../../../../src/app/run/ports/public-git.ts';
import type { Patch } from '../../../../src/contracts/effect.ts';
import { TellModel } from '../../../../src/lib/errors.ts';
import { createRedactor } from '../../../../src/lib/text/redact.ts';
import { patchComment } from '../../../../src/session/texts/pull-request-comments.ts';
import type { AdoptedPullRequestInSession } from '../../../../src/session/parts/session-thread.ts';
import type { Workspace } from '../../../../src/workspace/workspace.ts';
import { nativeGit, startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { Journal } from '../../../support/journal.ts';
import { published } from '../../../support/publishing.ts';
import { AT, open, text } from '../../support.ts';

let server: GitServer;
let repository: TestRepository;
let workspace: Workspace;
let tree: string;
let theirs: string[];
let count = 0;

beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
beforeEach(async () => {
  count += 1;
  theirs = ['src/a.ts'];
  repository = server.createRepository(`octo/patch-${count}`, {
    'README.md': '# Sample\n\nNo end',
    'a name with blanks.txt': 'one\n\ntwo\n\nthree\n',
    'run.sh': '#!/bin/sh\n',
    'gone "quoted".txt': 'gone\n',
    'moved from.txt': 'moved as it is\n',
    'emptied.txt': 'full\n',
    'empty.txt': '',
    'image.bin': new Uint8Array([1, 0, 2]),
    link: { content: 'README.md', mode: 'symlink' },
  });
  const before = new Set(readdirSync(tmpdir()));
  workspace = await open(server, repository, { branch: () => 'issuewright/pull-7' });
  const made = readdirSync(tmpdir()).find(
    (name) => name.startsWith(`issuewright-${process.pid}-`) && !before.has(name),
  );
  tree = join(tmpdir(), made ?? 'not found', 'tree');
});
afterEach(async () => workspace.close());

const write = (path: string, content: string) => workspace.files.write(path, text(content));

const HOSTILE = [
  '```diff\n~~~~\n`````````',
  'END_OF_PATCH\nEOF\n',
  '</details>\n\n# A heading\n<!DOCTYPE html>',
  'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b',
  '$(touch pwned) `touch pwned` $HOME \\\\ \\n "\'\n',
].join('\n');

const redactor = createRedactor(['the-operator-password']);

function offered(): Promise<Patch | undefined> {
  const journal = new Journal().start().run();
  const { thread } = journal.session;
  const adopted = { number: 7, fork: 'ann/sample' } as AdoptedPullRequestInSession;
  const work = { ...journal.session.work, head: repository.head(), changedSincePatch: true };
  const files = theirs.map((path) => ({ path, status: 'modified' }) as const);
  const tracker = { session: { ...journal.session, thread: { ...thread, adopted }, work } };
  const { redact } = redactor;
  const github = { gitUrl: 'https://github.com/octo/sample.git' };
  const patches = patchesFor({
    tracker,
    forge: { branchChange: async () => ({ commits: [], files }) },
    git: publicGit({ redact, tracker, github }, workspace, { trailers: [], paths: {} }),
    workspace,
    redact,
  });
  return patches.offer({ summary: 'What was done.', message: 'Do it', at: AT });
}

const commentOf = (patch: Patch): Promise<string> =>
  published(patchComment(patch, { to: ['ann'], repositoryUrl: undefined, isReplaced: false }), {
    redactor,
  });

/** What people copy: the text of the last block of code, as Markdown has it. */
function copied(comment: string): string {
  const blocks = new MarkdownIt({ html: true }).parse(comment, {});
  const [block, ...others] = blocks.filter(({ type }) => type === 'fence');
  expect(others).toEqual([]);
  return block?.content ?? '';
}

/** The tree of a clone after the words were pasted into a shell there. */
function treeAfter(words: string): string {
  const { checkout } = repository;
  execFileSync('bash', ['-c', words], { cwd: checkout, stdio: 'pipe' });
  nativeGit(checkout, 'add', '--all');
  return nativeGit(checkout, 'write-tree');
}

/** The tree of the workspace, as a commit of it has it. */
async function treeOfWorkspace(): Promise<string> {
  const done = await workspace.git.commit({ message: 'All of it', at: AT });
  nativeGit(repository.checkout, 'fetch', '-q', 'origin', done?.sha ?? '');
  return nativeGit(repository.checkout, 'rev-parse', `${done?.sha}^{tree}`);
}

describe('a patch in a comment', () => {
  it('applies as it is copied, whatever the files and their names are', async () => {
    await write('README.md', '# Sample\n\nStill no end');
    await write('a name with blanks.txt', 'one\n\n2\n\nthree');
    await write('new/ümlaut "x" $(touch pwned) `y`.txt', 'a\n');
    await write('new/tabs.txt', '\ttab\n  \n');
    await write('new/empty', '');
    await write('emptied.txt', '');
    await workspace.files.delete('gone "quoted".txt');
    await workspace.files.delete('empty.txt');
    await workspace.files.rename([{ from: 'moved from.txt', to: 'moved to.txt' }]);
    chmodSync(join(tree, 'run.sh'), 0o755);
    const patch = await offered();
    expect(patch).toMatchObject({ base: repository.head(), text: expect.any(String) });
    const comment = await commentOf(patch as Patch);
    expect(treeAfter(copied(comment))).toBe(await treeOfWorkspace());
  });

  it.each([
    ['end a block of code, a patch or a folded part', HOSTILE],
    ['say what a comment must not say', '@ann fixes #1\n[skip ci]\nReviewed-by: ann\n<!-- a -->\n'],
  ])('applies if its files %s', async (_what, content) => {
    await write('README.md', content);
    await write('new.md', content.trimEnd());
    const comment = await commentOf((await offered()) as Patch);
    expect(treeAfter(copied(comment))).toBe(await treeOfWorkspace());
    expect(comment).toMatch(/\n<\/details>$/);
  });

  it('has no secret, and says that it may not apply', async () => {
    await write('README.md', 'the-operator-password\n');
    const patch = (await offered()) as Patch;
    expect(JSON.stringify(patch)).not.toContain('the-operator-password');
    const comment = await commentOf(patch);
    expect(comment).toMatch(/looked like a secret[^]*\+\[redacted\]/);
  });

  it('is none if nothing was changed', async () => {
    expect(await offered()).toBeUndefined();
    await write('README.md', '# Sample\n\nNo end');
    expect(await offered()).toBeUndefined();
  });
});

describe('what a comment cannot hold', () => {
  const CASES: readonly [string, () => Promise<unknown>][] = [
    ['is large', () => write('large.txt', 'a line of text\n'.repeat(3_000))],
    ['is binary', () => workspace.files.write('image.bin', new Uint8Array([3, 0, 4]))],
    ['has lines that end as on Windows', () => write('windows.txt', 'one\r\ntwo\r\n')],
    ['has what nobody sees', () => write('unseen.txt', 'a\u202Eb\n')],
    ['is not UTF-8', () => workspace.files.write('latin1.txt', new Uint8Array([0x66, 0xfc, 10]))],
  ];

  it.each(CASES)('is on a branch if it %s, which CI skips', async (_what, change) => {
    await change();
    const patch = (await offered()) as Patch;
    expect(patch).toMatchObject({ branch: 'issuewright/pull-7', base: repository.head() });
    const { checkout } = repository;
    nativeGit(checkout, 'fetch', '-q', 'origin', 'issuewright/pull-7:there');
    expect(nativeGit(checkout, 'log', '--format=%P %B', 'main..there')).toBe(
      `${repository.head()} Do it\n\n[skip ci]`,
    );
    const words = copied(await commentOf(patch));
    expect(treeAfter(words)).toBe(nativeGit(checkout, 'rev-parse', 'there^{tree}'));
  });

  it('is on no branch if the pull request changes workflows, which would run with secrets', async () => {
    theirs = ['.GitHub/workflows/test.yml'];
    await write('large.txt', 'a line of text\n'.repeat(3_000));
    await expect(offered()).rejects.toThrow(TellModel);
    const branches = nativeGit(repository.checkout, 'ls-remote', '--heads', 'origin');
    expect(branches).not.toContain('issuewright/');
  });
});
