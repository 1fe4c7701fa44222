import { describe, expect, it } from '@jest/globals';
import { Journal } from '../support/journal.ts';

const commit = (sha: string) => ({ type: 'commit', sha, message: 'Some work', files: [] }) as const;

/** A run that began at `base`, and whose work was saved as `saved` when it ended; another one begins. */
function afterSave(): Journal {
  const journal = new Journal().start().beginRun().prepare({ baseCommit: 'base' });
  journal.add({ type: 'work_saved', run: 1, effects: [commit('saved')], isUnfinished: true });
  journal.add({ type: 'run_ended', run: 1, end: { kind: 'limit', reason: 'Enough.' } });
  return journal.beginRun();
}

describe('work that was saved when a run ended', () => {
  it('is uncommitted again in the next run', () => {
    const journal = afterSave();
    const { since } = journal.session.work.saved ?? {};
    expect(journal.session.work.uncommittedSince).toBeGreaterThan(since ?? Infinity);
    journal.prepare({ baseCommit: 'base', replaces: 'saved' });
    expect(journal.session.work).toMatchObject({
      head: 'base',
      uncommittedSince: since,
      saved: { commit: 'saved', parent: 'base' },
      commits: [],
      commitsBefore: 0,
    });
    journal.add({ type: 'work_saved', run: 2, effects: [commit('next')] });
    const { work } = journal.session;
    expect(work).toMatchObject({ head: 'next', saved: undefined });
    expect(work.commits.map(({ sha }) => sha)).toEqual(['next']);
  });

  it('stays a commit if the next run begins elsewhere', () => {
    const { work } = afterSave().prepare({ baseCommit: 'pushed' }).session;
    expect(work).toMatchObject({ head: 'pushed', saved: undefined });
    expect(work.commits.map(({ sha }) => sha)).toEqual(['saved']);
  });

  it('is forgotten once someone has pushed', () => {
    const journal = afterSave().prepare({ baseCommit: 'base', replaces: 'saved' });
    journal.add({ type: 'branch_moved', run: 2 });
    expect(journal.session.work).toMatchObject({ saved: undefined });
  });
});
