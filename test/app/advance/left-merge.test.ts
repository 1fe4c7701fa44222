import { expect, it } from '@jest/globals';
import { lookForConflict } from '../../../src/app/advance/look-at-pull-request.ts';
import { stateOf } from '../../../src/session/state.ts';
import type { Journal } from '../../support/journal.ts';
import { COMMIT, submitted } from '../../support/stories.ts';

/** The commit that runs of these journals begin at. */
const OURS = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const PUSHED = 'e'.repeat(40);
const { sha: OWN = '' } = COMMIT as { readonly sha?: string };

/** A merge at `ours` was left to people, and a run without it has ended. */
const left = (ours = OURS): Journal =>
  submitted()
    .command('resolve')
    .beginRun()
    .add({ type: 'merge_started', run: 2, ours, theirs: 'b'.repeat(40), branch: 'main' })
    .end({ kind: 'failed', reason: 'x', rejectedMerge: true });
const worked = (): Journal =>
  left()
    .comment('@issuewright a line more')
    .admitAsking('work')
    .run()
    .effect(COMMIT)
    .end({ kind: 'finished' });

/** The heads for which a conflict is journaled if GitHub says that the pull request has one. */
async function foundAt(journal: Journal, head: string): Promise<unknown[]> {
  const found: unknown[] = [];
  const state = { state: 'conflicts', branch: 'main', head, base: 'f'.repeat(40) };
  const accept = async ({ intent }: { intent: { head: string } }) => found.push(intent.head);
  await lookForConflict({
    tracker: { session: journal.session, refresh: async () => {} },
    github: { mergeability: async () => state },
    service: { store: { accept } },
    signal: new AbortController().signal,
  } as unknown as Parameters<typeof lookForConflict>[0]);
  return found;
}

it('a conflict is found again once someone has pushed after a merge that was left to people', async () => {
  expect(stateOf(worked().session)).toBe('waiting(review)');
  expect(await foundAt(worked(), PUSHED)).toEqual([PUSHED]);
});

it.each([
  ['our own commit', OWN],
  ['the commit that it was left at, which GitHub may still show for a moment', OURS],
])('none is found after it at %s', async (_what, head) => {
  expect(await foundAt(worked(), head)).toEqual([]);
});

it('without such a merge, one is found at our own commit', async () => {
  expect(await foundAt(submitted(), OWN)).toEqual([OWN]);
});
