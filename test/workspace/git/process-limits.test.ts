import { expect, it } from '@jest/globals';
import { ranOutOfMemory } from '../../../src/workspace/git/engines/native/process-limits.ts';

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
