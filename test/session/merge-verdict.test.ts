import { describe, expect, it } from '@jest/globals';
import type { Effect } from '../../src/contracts/effect.ts';
import { mergeVerdict } from '../../src/session/merging.ts';
import { plainBody } from '../../src/session/texts/markdown.ts';
import { outcomeComment, questionComment } from '../../src/session/texts/comments.ts';
import type { Journal } from '../support/journal.ts';
import { finishAs, submitted } from '../support/stories.ts';

type Tests = Extract<Effect, { type: 'tests' }>;

const OURS = 'a'.repeat(40);
const THEIRS = 'b'.repeat(40);

const tests = (facts: Partial<Tests> = {}): Tests => ({
  type: 'tests',
  command: 'npm test',
  exitCode: 1,
  ended: 'exited',
  durationMs: 900,
  failed: 1,
  passed: 4,
  isPartial: false,
  onChanges: true,
  ...facts,
});
const PASSED = tests({ exitCode: 0, failed: 0 });

const merging = (): Journal =>
  submitted()
    .beginRun()
    .add({ type: 'merge_started', run: 2, ours: OURS, theirs: THEIRS, branch: 'main' });

const failed = (before: readonly string[] = []): Journal =>
  merging().add({
    type: 'merge_failed_tests',
    run: 2,
    effects: [tests({ failing: ['new'] })],
    output: 'one test failed',
    before,
  });

const ran = (journal: Journal, effect: Tests, output = ''): Journal =>
  journal.turn({ calls: [{ tool: 'run_tests', result: { output, effects: [effect] } }] });

const changed = (journal: Journal, documents = 0): Journal =>
  journal.add({
    type: 'call_finished',
    reply: 1,
    index: 0,
    ok: true,
    output: '',
    effects: [],
    halt: null,
    changedFiles: 1,
    ...(documents === 0 ? {} : { documents }),
  });

describe('a merge that the tests failed with', () => {
  it.each<[string, () => Journal, string | undefined]>([
    ['is not there before the tests ran', merging, undefined],
    ['is not pushed as it is', failed, 'failed'],
    ['is not pushed with a change that was not tested', () => changed(failed()), 'outdated'],
    ['is pushed once they pass', () => ran(changed(failed()), PASSED), 'passed'],
    ['needs them again after a change', () => changed(ran(failed(), PASSED)), 'outdated'],
    ['needs them after a document too', () => changed(ran(failed(), PASSED), 1), 'outdated'],
    ['needs all of them', () => ran(failed(), { ...PASSED, isPartial: true }), 'partial'],
    [
      'needs their end',
      () => ran(failed(['new']), tests({ ended: 'timeout', exitCode: null })),
      'failed',
    ],
    [
      'is pushed if only what failed before fails',
      () => ran(failed(['old', 'new']), tests({ failing: ['old'] })),
      'failed_before',
    ],
    [
      'is not pushed if anything else fails too',
      () => ran(failed(['old']), tests({ failing: ['old', 'new'] })),
      'failed',
    ],
    [
      'is over with a commit',
      () =>
        failed().effect({ type: 'commit', sha: OURS, message: 'Merge', files: [], merges: THEIRS }),
      undefined,
    ],
  ])('%s', (_what, journal, verdict) => {
    expect(mergeVerdict(journal().session)).toBe(verdict);
  });

  it('is left to people with what the tests printed last', () => {
    const printed = ran(failed(), tests(), 'another test failed');
    const ended = printed.effect(finishAs('cannot', 'I do not know how.'), 'finished');
    const comment = outcomeComment(ended.end({ kind: 'finished' }).session) ?? [];
    expect(plainBody(comment)).toMatch(
      /I do not know how\.[^]*haven't pushed the merge of `main`, because tests failed with it\.[^]*<summary>Output of the tests<\/summary>\s+> another test failed/,
    );
    const question = questionComment(failed().session, { text: 'What now?' });
    expect(plainBody(question)).toMatch(/What now\?[^]*haven't pushed[^]*> one test failed/);
  });

  it('is not mentioned once it is pushed', () => {
    const done = ran(failed(), PASSED).effect({
      type: 'commit',
      sha: OURS,
      message: 'Merge',
      files: [],
    });
    const question = questionComment(done.session, { text: 'What now?' });
    expect(plainBody(question)).not.toContain('pushed the merge');
  });
});
