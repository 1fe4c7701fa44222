import { describe, expect, it } from '@jest/globals';
import type { Person } from '../../src/contracts/intent.ts';
import { isMergeWanted, mergeAt } from '../../src/session/merging.ts';
import { needsRun, stateOf } from '../../src/session/state.ts';
import type { Journal } from '../support/journal.ts';
import { COMMIT, submitted } from '../support/stories.ts';

const OPERATOR: Person = { login: 'the operator', id: 0, operator: true };
/** The commit that runs of these journals begin at. */
const OURS = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const THEIRS = 'b'.repeat(40);
const MERGING = {
  type: 'merge_started',
  run: 2,
  ours: OURS,
  theirs: THEIRS,
  branch: 'main',
} as const;
const REFUSED = { kind: 'failed', reason: 'x', rejectedMerge: true } as const;
const CONFLICT = {
  kind: 'conflict',
  pullRequest: 12,
  branch: 'main',
  head: OURS,
  base: THEIRS,
} as const;

const asked = (): Journal => submitted().command('resolve').beginRun().add(MERGING);
const refused = (): Journal => asked().end(REFUSED);

/** What the next run does. */
const next = ({ session }: Journal) => ({
  begins: needsRun(session),
  merges: isMergeWanted(session) || mergeAt(session, OURS) !== undefined,
});

describe('a merge that is left to people', () => {
  it('is not tried again by what is asked after it', () => {
    expect(next(asked())).toMatchObject({ merges: true });
    const journal = refused();
    expect(stateOf(journal.session)).toBe('failed');
    expect(next(journal)).toEqual({ begins: false, merges: false });
    const later = journal.comment('@issuewright a line more').admitAsking('work');
    expect(next(later)).toEqual({ begins: true, merges: false });
  });

  it('is not tried again either if nobody asked for it', () => {
    const found = submitted().receive(CONFLICT).beginRun().add(MERGING);
    expect(next(found)).toMatchObject({ merges: true });
    expect(next(found.end(REFUSED))).toEqual({ begins: false, merges: false });
  });

  it('keeps nothing back that was asked together with it', () => {
    const both = submitted().comment('@issuewright resolve conflicts, and say hello');
    const journal = both.admitAsking('resolve').beginRun().add(MERGING).end(REFUSED);
    expect(next(journal)).toEqual({ begins: true, merges: false });
    const done = journal.run().end({ kind: 'finished' });
    expect(next(done)).toEqual({ begins: false, merges: false });
  });

  it.each(['resolve', 'retry'] as const)('is tried again on /issuewright %s', (word) => {
    const journal = refused().command(word);
    expect(next(journal)).toEqual({ begins: true, merges: true });
    const merged = journal
      .beginRun()
      .add({ ...MERGING, run: 3 })
      .add({ type: 'merge_ended', run: 3, effects: [] });
    expect(next(merged.end({ kind: 'finished' }))).toEqual({ begins: false, merges: false });
  });

  it('is tried again on a retry although it had not begun, because there is no git for it', () => {
    const worked = (journal: Journal): Journal =>
      journal.comment('@issuewright a line more').admitAsking('work').run();
    // Its head is the commit that runs of these journals begin at.
    const followed = (): Journal => worked(submitted()).end({ kind: 'finished' });
    const unbegun = (): Journal => followed().command('resolve').beginRun().end(REFUSED);
    expect(next(unbegun())).toEqual({ begins: false, merges: false });
    expect(next(unbegun().command('retry'))).toEqual({ begins: true, merges: true });
    const later = worked(unbegun()).end({ kind: 'finished' });
    expect(next(later)).toEqual({ begins: false, merges: false });
    expect(next(later.command('retry'))).toEqual({ begins: true, merges: true });
  });

  const CONTINUED = '@issuewright resolve conflicts, and say hello';
  const continued = (): Journal =>
    submitted()
      .comment(CONTINUED)
      .admitAsking('resolve')
      .beginRun()
      .add(MERGING)
      .end(REFUSED)
      .run();

  it('is tried again on a retry after the other work has finished', () => {
    const journal = continued().end({ kind: 'finished' }).command('retry');
    expect(next(journal)).toEqual({ begins: true, merges: true });
  });

  it.each(['failed', 'stopped'] as const)(
    'is not tried again on a retry of other work that %s, which is done instead',
    (kind) => {
      const journal = continued().end({ kind, reason: 'x' }).command('retry');
      expect(next(journal)).toEqual({ begins: true, merges: false });
    },
  );

  it.each<[string, (journal: Journal) => Journal]>([
    [
      'the operator retries',
      (journal) =>
        journal.receive({ kind: 'operator_command', command: 'retry' }, OPERATOR).admit(),
    ],
    [
      'the check is rerun',
      (journal) => journal.receive({ kind: 'check_action', action: 'rerun', sha: OURS }).admit(),
    ],
  ])('is tried again if %s', (_what, retry) => {
    expect(next(retry(refused()))).toEqual({ begins: true, merges: true });
  });

  it('is looked for again once someone has asked for it, or pushed', () => {
    const isLeft = ({ session }: Journal): boolean => session.work.mergeLeftAt !== undefined;
    const worked = (journal = refused()): Journal =>
      journal.comment('@issuewright a line more').admitAsking('work').run().effect(COMMIT);
    expect(isLeft(worked())).toBe(true);
    expect(isLeft(worked().end({ kind: 'finished' }).command('resolve').beginRun())).toBe(true);
    expect(isLeft(refused().command('retry').beginRun().add(MERGING))).toBe(false);
    expect(isLeft(worked().add({ type: 'branch_moved', run: 3 }))).toBe(false);
    const merging = { ...MERGING, ours: 'c'.repeat(40) };
    const elsewhere = submitted().command('resolve').beginRun().add(merging).end(REFUSED);
    expect(isLeft(elsewhere)).toBe(true);
    expect(isLeft(worked(elsewhere))).toBe(false);
  });

  it('that begins again with another commit tells a model that has read the files', () => {
    const isTold = ({ session }: Journal): boolean => session.work.workspaceReplaced;
    const again = { ...MERGING, theirs: 'd'.repeat(40) };
    const unread = submitted().receive(CONFLICT).beginRun().add(MERGING);
    expect(isTold(unread)).toBe(false);
    const journal = unread.add(again);
    expect(isTold(journal)).toBe(true);
    expect(mergeAt(journal.session, OURS)).toMatchObject({ theirs: again.theirs });
  });

  it('stays begun after a failure of another kind', () => {
    const journal = asked().end({ kind: 'failed', reason: 'x' }).command('retry');
    expect(next(journal)).toEqual({ begins: true, merges: true });
    expect(mergeAt(journal.session, OURS)).toBeDefined();
  });
});
