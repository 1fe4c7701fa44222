import { expect, it } from '@jest/globals';
import { MergeRejected, TellPerson } from '../../../src/lib/errors.ts';
import {
  explainGitFailure,
  explainMergeFailure,
} from '../../../src/workspace/git/explain-failure.ts';
import { makeGitdir } from '../../../src/workspace/git/engines/native/gitdir.ts';
import {
  askGitWith,
  ranOutOfMemory,
} from '../../../src/workspace/git/engines/native/native-git.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const URL = 'https://host.test/octo/a.git';

it.each([
  ['fatal: Out of memory, malloc failed (tried to allocate 2000000001 bytes)', true],
  ['warning: x\nerror: unable to mmap .git/objects/pack/a.pack: Cannot allocate memory', true],
  ['remote: fatal: Out of memory, malloc failed', false],
  ['fatal: remote error: upload-pack: out of memory', false],
  ['error: cannot fork() for index-pack: Cannot allocate memory', false],
  ['fatal: not a git repository', false],
])('git that says %j needs more memory than it may take: %j', (said, isTold) => {
  expect(ranOutOfMemory(said)).toBe(isTold);
});

it.each([
  [
    'time',
    1,
    100,
    /^Git took more than 1 seconds on .*octo\/a.*\. Request the work again/,
    /^I didn't merge the base branch: .* not arrived after 1 seconds\..*`\/issuewright resolve`/,
  ],
  [
    'room for what it says',
    600,
    60_000,
    /too large to work on: git's output was larger than 32 MiB.*`sparse`/,
    /^I didn't merge the base branch: git's output was larger than 32 MiB\. Please merge it yourself/,
  ],
])('that git needs more %s than it may take is said in words', async (_what, asked, ...limit) => {
  const [timeoutMs, said, saidOfMerge] = limit;
  const tree = temporaryDirectory();
  await makeGitdir(tree, URL);
  const place = { gitdir: tree, tree, signal: new AbortController().signal };
  const line = Buffer.from(`${'x'.repeat(65_535)}\n`);
  // It waits for more.
  const input = (async function* () {
    for (let at = 0; at < asked; at += 1) yield line;
    await new Promise(() => {});
  })();
  const asking = askGitWith(place, { input, timeoutMs }, ['cat-file', '--batch']);
  const failure: unknown = await asking.catch((error: unknown) => error);
  const told = explainGitFailure(failure, URL, 'read');
  expect(told).toBeInstanceOf(TellPerson);
  expect((told as TellPerson).message).toMatch(said);
  // A merge ends with it: otherwise each later run would begin with the same one.
  const ofMerge = explainMergeFailure(failure, URL);
  expect(ofMerge).toBeInstanceOf(MergeRejected);
  expect((ofMerge as MergeRejected).message).toMatch(saidOfMerge);
});
