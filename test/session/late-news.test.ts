// What people did becomes known late, twice, or only because repositories are compared: the end is that of the order in which
// they did it.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ACTS, type Act, type Step } from '../support/late-acts.ts';
import { isDoable, SCENES, type SceneName } from '../support/late-scenes.ts';
import { cases } from '../support/cases.ts';
import { Journal } from '../support/journal.ts';
import { stateOf } from '../../src/session/state.ts';

const CREATED_AT = '2030-01-15T14:00:00Z';

const SCENE_NAMES = Object.keys(SCENES) as SceneName[];

/** Each pair that is possible there, in the order in which people do it. */
const PAIRS = SCENE_NAMES.flatMap((scene) =>
  ACTS.flatMap((first) =>
    ACTS.filter((second) => isDoable(scene, [first, second])).map(
      (second) => [scene, first, second] as const,
    ),
  ),
);

const isOneOf = (act: Act | undefined, ...acts: readonly Act[]): boolean =>
  act !== undefined && acts.includes(act);

/**
 * The first became known after the second, and changes nothing any more. Whoever answered a question or a plan saw it open: in
 * time, the stop or pause would have withdrawn it, or held the answer up. `resume` finds a question, or a pull request, that
 * still waits for people. And the label is back, as everyone sees, so that only the pause is left, which someone ends.
 */
const isLeftAsItIs = (scene: SceneName, first: Act, second: Act): boolean =>
  (['asked', 'planned'].includes(scene) &&
    isOneOf(first, 'stop', 'pause', 'unlabel') &&
    isOneOf(second, 'answer', 'approve')) ||
  (['asked', 'planned', 'paused', 'submitted'].includes(scene) &&
    isOneOf(first, 'stop', 'unlabel') &&
    second === 'resume') ||
  (scene === 'paused' && first === 'unlabel' && second === 'label');

/** Work begins in the pull request that is open again; before that, it would have begun in a new one. */
const isInReopened = (first: Act, second: Act): boolean =>
  isOneOf(first, 'work', 'retry', 'resume') && second === 'reopen pull';

/** Of what was admitted before, GitHub's lists do not show that it is gone, or who changed it. */
const isUnlisted = (act: Act): boolean => act === 'delete' || act === 'edit';

const end = async (scene: SceneName, acts: readonly Act[], steps: readonly Step[]) =>
  (await SCENES[scene]().do(acts).tell(steps)).end();

const LATE: readonly (readonly Step[])[] = [
  [1, 0],
  [1, 0, 1],
  [1, 'compare'],
];
const IN_ORDER: readonly (readonly Step[])[] = [[0, 1, 0], ['compare']];

describe('two acts of people', () => {
  it.each(
    PAIRS.filter(([scene, ...acts]) => !isLeftAsItIs(scene, ...acts) && !isInReopened(...acts)),
  )(
    'while the session is %s: %s, then %s: ends as they meant it, however it becomes known',
    async (scene, ...acts) => {
      const inOrder = await end(scene, acts, [0, 1]);
      for (const steps of [
        ...LATE,
        ...IN_ORDER,
        ...(isUnlisted(acts[1]) ? [] : [[0, 'compare'] as const]),
      ])
        expect([steps, await end(scene, acts, steps)]).toEqual([steps, inOrder]);
    },
  );

  it.each(PAIRS.filter(([scene, ...acts]) => isLeftAsItIs(scene, ...acts)))(
    'while the session is %s: a late %s does not undo a newer %s',
    async (scene, ...acts) => {
      const newer = await end(scene, acts, [1]);
      for (const steps of LATE)
        expect([steps, await end(scene, acts, steps)]).toEqual([steps, newer]);
    },
  );

  it.each(PAIRS.filter(([, ...acts]) => isInReopened(...acts)))(
    'while the session is %s: %s, then %s: continues in the pull request that is open again',
    async (scene, ...acts) => {
      const { isGoing } = await end(scene, acts, [0, 1]);
      for (const steps of LATE)
        expect([steps, await end(scene, acts, steps)]).toMatchObject([
          steps,
          { isGoing, pull: 'open' },
        ]);
      expect(await end(scene, acts, ['compare'])).toMatchObject({ pull: 'open' });
    },
  );
});

/** What is left as it is among two of them, and what takes three. */
const isException = (scene: SceneName, acts: readonly Act[]): boolean =>
  acts.some((first, at) =>
    acts.slice(at + 1).some((second, next) => {
      const rest = acts.slice(at + 2 + next);
      return (
        // Whoever answers in time ends a pause, so that more scenes than in a pair come to a question.
        isLeftAsItIs('asked', first, second) ||
        isLeftAsItIs('planned', first, second) ||
        isLeftAsItIs('paused', first, second) ||
        isInReopened(first, second) ||
        // A pause that found nothing to pause was answered so, and work that was asked for after it continues.
        (!['working', 'asked', 'planned', 'paused'].includes(scene) &&
          second === 'pause' &&
          rest.length > 0) ||
        // GitHub says that the pull request is open, not since when.
        (first === 'reopen pull' && second === 'resume' && rest.includes('resume')) ||
        // What was asked beside an answer counts by whether the answer was deleted before work began.
        (second === 'delete' && acts.length > 2)
      );
    }),
  );

describe('two or three acts of people', () => {
  const stories = fc.record({
    scene: fc.constantFrom(...SCENE_NAMES),
    acts: fc.array(fc.constantFrom(...ACTS), { minLength: 2, maxLength: 3 }),
    keys: fc.array(fc.nat(), { minLength: 3, maxLength: 3 }),
    lost: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  });

  it('end as in their order, however they become known', async () => {
    const possible = fc.sample(
      stories.filter(({ scene, acts }) => !isException(scene, acts) && isDoable(scene, acts)),
      // The same each time, so that it says whether a change broke something. Others are in the long run.
      { numRuns: cases(1_000, 20_000), seed: cases(1, Date.now()) },
    );
    for (const { scene, acts, keys, lost } of possible) {
      const numbers = acts.map((_act, at) => at);
      const order = numbers.toSorted((one, two) => keys[one]! - keys[two]!);
      const inOrder = await end(scene, acts, numbers);
      expect([scene, acts, order, await end(scene, acts, order)]).toEqual([
        scene,
        acts,
        order,
        inOrder,
      ]);
      const isFound = (at: number): boolean => lost[at] === true && !isUnlisted(acts[at]!);
      const steps = [...order.filter((at) => !isFound(at)), 'compare' as const];
      expect([scene, acts, steps, await end(scene, acts, steps)]).toEqual([
        scene,
        acts,
        steps,
        inOrder,
      ]);
    }
  });
});

describe('an answer before the issue was closed and reopened', () => {
  it.each<[order: string, steps: readonly Step[]]>([
    ['then the answer, then the closing', [2, 0, 1]],
    ['then the closing, then the answer', [2, 1, 0]],
    ['and the answer twice', [2, 0, 1, 0]],
    ['and the others are found', [2, 'compare']],
  ])('begins no work if the reopening becomes known first, %s', async (_order, steps) => {
    for (const [scene, first] of [
      ['asked', 'answer'],
      ['planned', 'approve'],
      ['paused', 'answer'],
    ] as const)
      expect(await end(scene, [first, 'close issue', 'reopen issue'], steps)).toMatchObject({
        isGoing: false,
        isIssueClosed: false,
      });
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
  ])('loses nothing if they become known as %s, %s, %s', async (...order) => {
    const acts = ['close issue', 'reopen issue', 'answer'] as const;
    const now = (await SCENES.asked().doAtOnce(acts).tell(order)).end();
    expect(now).toMatchObject({ isGoing: true, isIssueClosed: false });
    expect(now.words).toHaveLength(1);
  });

  it('loses nothing if they are only found', async () => {
    const acts = ['close issue', 'reopen issue', 'answer'] as const;
    const now = (await SCENES.asked().doAtOnce(acts).tell(['compare'])).end();
    expect(now).toMatchObject({ isGoing: true, isIssueClosed: false });
  });
});

it.each(['stop', 'pause'] as const)(
  'a %s from before the first request ends nothing if it becomes known after it',
  (name) => {
    const journal = new Journal()
      .receive({ kind: 'start', label: 'issuewright', title: 'Greet', body: '', at: CREATED_AT })
      .admit()
      .run();
    const body = `/issuewright ${name}`;
    const at = '2020-01-15T14:03:00Z';
    journal
      .receive({ kind: 'comment', on: 'issue', commentId: 1, body, at })
      .admitAsking(name, true);
    expect(stateOf(journal.session)).toBe('working');
  },
);
