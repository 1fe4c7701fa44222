// All that two processes, a kill, a lost answer and a freeze can do to a session, and what a weaker protocol would allow.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CANNOT_END, explore, type Explored, type Violation } from './checker.ts';
import { publicationModel } from './publication-model.ts';
import { PUBLISHING, SESSION } from './protocols.ts';
import { sessionModel } from './session-model.ts';

const NOTHING = { comment: 0, crash: 0, loss: 0, freeze: 0 };
const NO_ENTRY = { entry: 0, crash: 0, loss: 0, freeze: 0 };

/** The first line of the trace that says that, or -1. */
const lineOf = ({ trace }: Violation, words: string): number =>
  trace.findIndex((line) => line.includes(words));

function found<State>({ violation }: Explored<State>): Violation {
  if (violation === undefined) throw new Error('nothing was found');
  return violation;
}

function report<State>(what: string, { states, steps, rightEnds }: Explored<State>): void {
  process.stderr.write(`${what}: ${states} states, ${steps} steps, ${rightEnds} right ends\n`);
}

describe('the protocol of sessions', () => {
  it.each([
    ['a kill, a lost answer and a freeze', { ...NOTHING, crash: 1, loss: 1, freeze: 1 }],
    ['a comment, a kill and a lost answer', { ...NOTHING, comment: 1, crash: 1, loss: 1 }],
  ])('keeps its rules through %s, in every order', (what, left) => {
    const explored = explore(sessionModel(SESSION, left));
    report(`a session with ${what}`, explored);
    expect(explored.violation).toBeUndefined();
    expect(explored.rightEnds).toBeGreaterThan(10);
  });

  it('loses no comment while a process freezes and another one is killed', () => {
    const left = { ...NOTHING, comment: 1, crash: 1, freeze: 1 };
    const explored = explore(sessionModel(SESSION, left, 'rest'));
    report('a session at rest with a comment, a kill and a freeze', explored);
    expect(explored.violation).toBeUndefined();
  });

  it.each([
    ['no fence', { isFenced: false }, { freeze: 1 }, 'one run after the other'],
    ['claims without a name', { hasFreshClaims: false }, { freeze: 1 }, 'one run after the other'],
    ['an act before the entry', { journalsFirst: false }, {}, 'does not know of'],
    ['no look-up before it creates', { looksUp: false }, { crash: 1 }, 'there twice'],
    ['no comparison when it records', { compares: false }, { freeze: 1 }, CANNOT_END],
  ])('breaks with %s', (_what, change, left, rule) => {
    const model = sessionModel({ ...SESSION, ...change }, { ...NOTHING, ...left });
    const violation = found(explore(model));
    expect(violation.rule).toContain(rule);
    expect(violation.trace[0]).toMatch(/^A takes the session from the queue \(store\/.*#take\)$/);
  });

  it('loses a comment if nobody is woken by a claim that was lost', () => {
    const left = { ...NOTHING, comment: 1, crash: 1, freeze: 1 };
    const violation = found(
      explore(sessionModel({ ...SESSION, wakesWhenLost: false }, left, 'rest')),
    );
    expect(violation.rule).toBe(CANNOT_END);
    const order = ['someone comments', 'A freezes', 'takes A for dead', 'A goes on', 'A is killed'];
    const places = order.map((words) => lineOf(violation, words));
    expect(places).not.toContain(-1);
    expect(places.slice(1)).toEqual(places.slice(1).toSorted((one, other) => one - other));
  });
});

describe('the protocol of publications', () => {
  it('keeps its rules through a new entry, a kill, a lost answer and a freeze, in every order', () => {
    const explored = explore(
      publicationModel(PUBLISHING, { entry: 1, crash: 1, loss: 1, freeze: 1 }),
    );
    report('a status comment with an entry, a kill, a lost answer and a freeze', explored);
    expect(explored.violation).toBeUndefined();
    expect(explored.rightEnds).toBeGreaterThan(10);
  });

  it.each([
    ['no look-up before it creates', { looksUp: false }, { crash: 1 }, 'there twice'],
    ['a look-up that leaves duplicates', { removes: false }, { freeze: 1 }, CANNOT_END],
    ['no comparison when it saves', { compares: false }, { freeze: 1 }, CANNOT_END],
    ['jobs that are not restarted', { restarts: false }, { crash: 1 }, CANNOT_END],
  ])('breaks with %s', (_what, change, left, rule) => {
    const model = publicationModel({ ...PUBLISHING, ...change }, { ...NO_ENTRY, ...left });
    const violation = found(explore(model));
    expect(violation.rule).toContain(rule);
    expect(violation.trace[0]).toMatch(/^a run wakes publishing \(store\/.*#publishSoon\)$/);
  });
});

it('each step stands for a function that exists', () => {
  const { code: ofSessions } = explore(sessionModel(SESSION, { ...NOTHING, comment: 1, crash: 1 }));
  const { code: ofPublications } = explore(publicationModel(PUBLISHING, { ...NO_ENTRY, loss: 1 }));
  const all = new Set([...ofSessions, ...ofPublications]);
  expect(all.size).toBeGreaterThan(15);
  for (const place of all) {
    const [file = '', name = ''] = place.split('#');
    const text = readFileSync(join(import.meta.dirname, '../../src', file), 'utf8');
    const defined = new RegExp(`(?:function |const |^  (?:async |readonly )?#?)${name}\\b`, 'm');
    expect({ place, isDefined: defined.test(text) }).toEqual({ place, isDefined: true });
  }
});
