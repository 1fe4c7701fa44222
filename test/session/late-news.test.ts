// What people did becomes known late, twice, or only because repositories are compared: the end is that of the order in which
// they did it.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ACTS, isDoable, SCENES, type Act, type SceneName } from '../support/late-acts.ts';
import { cases } from '../support/cases.ts';

const SCENE_NAMES = Object.keys(SCENES) as SceneName[];

/** Each pair that is possible there, in the order in which people do it. */
const PAIRS = SCENE_NAMES.flatMap((scene) =>
  ACTS.flatMap((first) =>
    ACTS.filter((second) => isDoable(scene, [first, second])).map(
      (second) => [scene, first, second] as const,
    ),
  ),
);

/**
 * Whoever answered a question saw it open: a stop or pause from before that did not take effect. In time, it would have
 * withdrawn the question, or held the answer up.
 */
const isAnsweredSince = (scene: SceneName, acts: readonly Act[]): boolean =>
  (['asked', 'planned', 'closed'].includes(scene) || (scene === 'paused' && acts.length > 2)) &&
  acts.some(
    (act, at) =>
      ['stop', 'pause', 'unlabel', 'close issue'].includes(act) &&
      acts.slice(at + 1).some((later) => ['answer', 'approve'].includes(later)),
  );

/** What only waits for an answer, or for a new pull request, goes on as it is. */
const isLeftAsItIs = (scene: SceneName, acts: readonly Act[]): boolean =>
  acts.some((act, at) => {
    const rest = acts.slice(at + 1);
    // The label is back: that it was gone is known to be old, and the pause stays until someone ends it.
    if (act === 'unlabel' && rest.includes('label')) return true;
    if (['stop', 'unlabel'].includes(act)) return scene !== 'working' && rest.includes('resume');
    return ['work', 'retry', 'resume'].includes(act) && rest.includes('reopen pull');
  });

const isException = (scene: SceneName, acts: readonly Act[]): boolean =>
  isAnsweredSince(scene, acts) || isLeftAsItIs(scene, acts);

describe('two acts of people', () => {
  it.each(PAIRS.filter(([scene, ...acts]) => !isException(scene, acts)))(
    'while the session is %s: %s, then %s: ends as they meant it, whichever is known first',
    (scene, ...acts) => {
      const inOrder = SCENES[scene]().do(acts).tell([0, 1]).end();
      expect(SCENES[scene]().do(acts).tell([1, 0]).end()).toEqual(inOrder);
      expect(SCENES[scene]().do(acts).tell([0, 1, 0]).end()).toEqual(inOrder);
      expect(SCENES[scene]().do(acts).tell([1, 0, 1]).end()).toEqual(inOrder);
    },
  );

  it.each(
    PAIRS.filter(([scene, ...acts]) => isAnsweredSince(scene, acts)).filter(
      ([scene, first]) => scene !== 'closed' && first !== 'close issue',
    ),
  )('while the session is %s: a late %s does not undo a newer %s', (scene, ...acts) => {
    expect(SCENES[scene]().do(acts).tell([1, 0]).end()).toMatchObject({ isGoing: true });
  });
});

describe('any acts of people', () => {
  const stories = fc.record({
    scene: fc.constantFrom(...SCENE_NAMES),
    before: fc.array(fc.constantFrom(...ACTS), { maxLength: 4 }),
    last: fc.constantFrom('stop', 'close issue', 'work', 'retry'),
    keys: fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
  });

  it('end by the newest of them, in any order of arrival', () => {
    fc.assert(
      fc.property(stories, ({ scene, before, last, keys }) => {
        const acts = [...before, last];
        fc.pre(isDoable(scene, acts));
        const order = acts.map((_act, at) => at).toSorted((one, two) => keys[one]! - keys[two]!);
        const { isGoing, isPaused, isIssueClosed } = SCENES[scene]().do(acts).tell(order).end();
        const isOver = last === 'stop' || last === 'close issue';
        expect(isGoing || (!isOver && (isPaused || isIssueClosed))).toBe(!isOver);
        expect(isIssueClosed).toBe(SCENES[scene]().do(acts).isClosedOnGitHub);
      }),
      { numRuns: cases(1_000, 5_000) },
    );
  });
});

describe('closing, reopening and answering within one second', () => {
  it.each([
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ])('loses nothing if they become known as %s, %s, %s', (...order) => {
    const acts = ['close issue', 'reopen issue', 'answer'] as const;
    const end = SCENES.asked().doAtOnce(acts).tell(order).end();
    expect(end).toMatchObject({ isGoing: true, isIssueClosed: false });
    expect(end.words).toHaveLength(1);
  });
});
