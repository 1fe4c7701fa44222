// How two processes advance one session: the queue, the claim, the journal, and a comment that a run publishes. Each
// step is one statement of the database or one request to GitHub, because anything may happen between two of those.

import type { Model, Step } from './checker.ts';
import {
  FRESH,
  INITIAL,
  NO_ROW,
  WHOLE,
  changed,
  isAtRest,
  keyOf,
  nextOf,
  ofRuns,
  type At,
  type Change,
  type Faults,
  type Name,
  type State,
  type Worker,
} from './session-state.ts';

export interface Protocol {
  /** An append needs the claim. */
  readonly isFenced: boolean;
  /** A claim has a name that no claim before it had. */
  readonly hasFreshClaims: boolean;
  /** What the model answered is journaled before it is acted on. */
  readonly journalsFirst: boolean;
  /** A comment is looked up before it is created. */
  readonly looksUp: boolean;
  /** What was published is recorded only over what was read before. */
  readonly compares: boolean;
  /** Who loses a claim while it has the session in the queue wakes it. */
  readonly wakesWhenLost: boolean;
}

type Stepping = (
  does: string,
  code: string,
  worker: Partial<Worker>,
  change?: Change,
) => Step<State>;

/** From a request that nobody has read, or from a session at rest. */
export function sessionModel(
  protocol: Protocol,
  left: Faults,
  from: 'request' | 'rest' = 'request',
): Model<State> {
  return {
    initial:
      from === 'request'
        ? { ...INITIAL, left }
        : { ...INITIAL, left, journal: 'q1ne', isBusy: false, isWoken: false },
    key: keyOf,
    steps: (state) => [
      ...(['A', 'B'] as const).flatMap((name) => stepsOf(protocol, state, name)),
      ...fromOutside(state),
    ],
    rules: {
      'the journal is that of one run after the other': ({ journal }) =>
        WHOLE.some((whole) => whole.startsWith(ofRuns(journal))),
      'nothing is on GitHub that the journal does not know of': ({ made, journal }) =>
        made === 0 || journal.includes('s'),
      'while no process freezes, no comment is there twice': ({ comments, hasFrozen }) =>
        hasFrozen !== '' || comments.length <= 1,
    },
    isRightEnd: ({ journal, isBusy, isWoken, taker, comments, workers }) =>
      WHOLE.includes(ofRuns(journal)) &&
      isAtRest(journal) &&
      !isBusy &&
      !isWoken &&
      taker === '' &&
      comments.length === (journal.includes('f') ? 1 : 0) &&
      [workers.A, workers.B].every(({ at, isFrozen }) => at === 'idle' && !isFrozen),
  };
}

function fromOutside(state: State): Step<State>[] {
  const steps: Step<State>[] = [];
  const { left, journal, isBusy, isWoken, taker } = state;
  if (left.comment > 0)
    steps.push({
      actor: 'someone',
      does: 'comments',
      code: 'store/deliveries/accept.ts#acceptOne',
      isFault: true,
      to: { ...state, journal: `${journal}c`, isWoken: true, left: { ...left, comment: 0 } },
    });
  if (isBusy && !isWoken && taker === '')
    steps.push({
      actor: 'the sweep',
      does: 'wakes a session that lost its wake-up',
      code: 'store/queue/due.ts#wakeDue',
      to: { ...state, isWoken: true },
    });
  return steps;
}

function stepsOf(protocol: Protocol, state: State, name: Name): Step<State>[] {
  if (state.workers[name].isFrozen) return faultsOf(state, name);
  const step: Stepping = (does, code, worker, change) => ({
    actor: name,
    does,
    code,
    to: changed(state, name, worker, change),
  });
  return [
    ...faultsOf(state, name),
    ...beatsOf(state, name, step),
    ...(ADVANCING[state.workers[name].at]?.(protocol, state, name, step) ?? []),
  ];
}

function faultsOf(state: State, name: Name): Step<State>[] {
  const { left, claim, taker, workers } = state;
  const worker = workers[name];
  const steps: Step<State>[] = [];
  const fault = (does: string, to: State, isFault = true): void =>
    void steps.push({ actor: name, does, isFault, to });
  // What no protocol can prevent, see docs/decisions/0044-session-as-tables.md#0081-the-protocol-of-sessions-is-a-model-and-a-checker-of-our-own-visits-all-of-it.
  const isBeyondHelp = claim !== name && worker.mine !== '';
  if (left.crash > 0 && !isBeyondHelp)
    fault(
      'is killed, and starts again',
      changed(
        state,
        name,
        { ...FRESH, isKnown: false },
        {
          claim: claim === name ? 'X' : claim,
          taker: taker === name ? 'X' : taker,
          left: { ...left, crash: 0 },
        },
      ),
    );
  // The two are alike, so it is enough that one freezes.
  if (left.freeze > 0 && name === 'A')
    fault(
      'freezes',
      changed(state, name, { isFrozen: true }, { hasFrozen: name, left: { ...left, freeze: 0 } }),
    );
  if (worker.isFrozen) fault('goes on', changed(state, name, { isFrozen: false }), false);
  return steps;
}

/** Signs of life, and what they show. */
function beatsOf(state: State, name: Name, step: Stepping): Step<State>[] {
  const { workers, taker } = state;
  const worker = workers[name];
  const other = name === 'A' ? 'B' : 'A';
  const steps: Step<State>[] = [];
  const beat = 'store/session-queue/session-queue.ts#beat';
  if (!worker.isKnown) steps.push(step('gives a sign of life', beat, { isKnown: true }));
  if (worker.at !== 'idle' && taker !== name && !worker.isTold)
    steps.push(step('learns that others have the session', beat, { isTold: true, isKnown: true }));
  const free = { taker: '', isWoken: true } as const;
  if (taker === 'X') steps.push(step('frees what the killed process had', beat, {}, free));
  if (workers[other].isFrozen && workers[other].isKnown) {
    const buried = step(`takes ${other} for dead`, beat, {}, taker === other ? free : {});
    steps.push({ ...buried, to: changed(buried.to, other, { isKnown: false }) });
  }
  return steps;
}

const holds = (protocol: Protocol, state: State, name: Name): boolean =>
  protocol.hasFreshClaims ? state.claim === name : state.claim !== '';

type Advance = (protocol: Protocol, state: State, name: Name, step: Stepping) => Step<State>[];

/** By what the process does next with the session. */
const ADVANCING: Readonly<Record<At, Advance>> = {
  idle: (_protocol, { isWoken, taker, workers }, name, step) =>
    isWoken && taker === '' && workers[name].isKnown
      ? [
          step(
            'takes the session from the queue',
            'store/session-queue/session-queue.ts#take',
            { at: 'taken' },
            { isWoken: false, taker: name },
          ),
        ]
      : [],
  taken: (_protocol, _state, name, step) => [
    step('claims it', 'store/claims.ts#claim', { at: 'opening' }, { claim: name }),
  ],
  opening: (_protocol, { journal }, _name, step) => [
    step('reads the journal', 'store/journal/journal.ts#readJournal', {
      at: 'ready',
      seen: journal.length,
    }),
  ],
  ready: runs,
  reading: (protocol, { row }, _name, step) => [
    step(
      'begins the call, and reads what was published',
      'store/publications.ts#readPublications',
      {
        row,
        at: protocol.looksUp ? 'looking' : 'creating',
      },
    ),
  ],
  looking: (_protocol, { comments }, _name, step) => {
    const [mine = '', ...doomed] = comments;
    const at = mine === '' ? 'creating' : doomed.length > 0 ? 'removing' : 'recording';
    return [
      step('looks for its comment', 'github/comments.ts#findOwn', {
        at,
        mine,
        doomed: doomed.join(''),
      }),
    ];
  },
  removing: (_protocol, { comments, workers }, name, step) => {
    const [first = '', ...doomed] = workers[name].doomed;
    return [
      step(
        `removes the duplicate ${first}`,
        'github/comments.ts#findOwn',
        { doomed: doomed.join(''), at: doomed.length > 0 ? 'removing' : 'recording' },
        { comments: comments.replace(first, '') },
      ),
    ];
  },
  creating: (_protocol, { comments, made, left }, _name, step) => {
    const mine = String(made + 1);
    const there = { comments: comments + mine, made: made + 1 };
    const create = (does: string, worker: Partial<Worker>, change: Change) =>
      step(does, 'github/comments.ts#create', worker, { ...there, ...change });
    const steps = [create(`creates the comment ${mine}`, { at: 'recording', mine }, {})];
    const lost = { left: { ...left, loss: 0 } };
    if (left.loss > 0)
      steps.push({
        ...create(`creates the comment ${mine}; the answer is lost`, { at: 'looking', mine }, lost),
        isFault: true,
      });
    return steps;
  },
  recording: ({ compares }, { row, workers: { A, B }, workers }, name, step) => {
    const { mine, row: read } = workers[name];
    const save = 'store/publications.ts#savePublication';
    return compares && read.version !== row.version
      ? [step('finds that another recorded one', save, { at: 'reading' }, { row: NO_ROW })]
      : [
          step(
            `records the comment ${mine}`,
            save,
            { at: 'acted', row: NO_ROW, mine: '' },
            { row: { version: 1 + Math.max(row.version, A.row.version, B.row.version), id: mine } },
          ),
        ];
  },
  acted: (protocol, state, name, step) => [
    append(protocol, state, name, step, protocol.journalsFirst ? 'f' : 'Rsf'),
  ],
  lost: ({ wakesWhenLost }, { taker }, name, step) => {
    const wakes = wakesWhenLost ? { isWoken: true } : {};
    const change: Change = taker === name ? { taker: '', ...wakes } : {};
    return [
      step('gives the session back', 'store/session-queue/session-queue.ts#giveBack', IDLE, change),
    ];
  },
  giving: (_protocol, { taker }, name, step) => [
    step(
      'gives the session back',
      'store/session-queue/session-queue.ts#giveBack',
      IDLE,
      taker === name ? { taker: '' } : {},
    ),
  ],
};

const IDLE = { at: 'idle', isTold: false, seen: 0, row: NO_ROW, mine: '', doomed: '' } as const;

/** The next step of a run, or its end. */
function runs(protocol: Protocol, state: State, name: Name, step: Stepping): Step<State>[] {
  const { journal, workers } = state;
  const { seen, isTold } = workers[name];
  const next = nextOf(journal.slice(0, seen));
  if (next === 'rest') return [settle(protocol, state, name, step)];
  const steps: Step<State>[] = [];
  if (isTold)
    steps.push(
      step(
        'leaves the run to others',
        'store/claims.ts#release',
        { at: 'giving' },
        state.claim === name ? { claim: '', isWoken: true } : {},
      ),
    );
  if (journal.length > seen)
    steps.push(
      step('reads what is new', 'app/service/journal-tracker.ts#refresh', { seen: journal.length }),
    );
  if (next === 'act') steps.push(...ADVANCING.reading(protocol, state, name, step));
  else
    for (const letter of next)
      steps.push(
        ...(letter === 'R' && !protocol.journalsFirst
          ? ADVANCING.reading(protocol, state, name, step)
          : [append(protocol, state, name, step, letter)]),
      );
  return steps;
}

/** With the claim, and the state as far as the process has read everything. */
function append(
  protocol: Protocol,
  state: State,
  name: Name,
  step: Stepping,
  letters: string,
): Step<State> {
  const { journal, workers, isBusy } = state;
  const { seen } = workers[name];
  const code = 'store/journal/journal.ts#writeEntries';
  if (protocol.isFenced && !holds(protocol, state, name))
    return step(`cannot append ${letters}: the claim is lost`, code, { at: 'lost' });
  const isBehind = journal.length > seen;
  const after = journal + letters;
  return step(
    `appends ${letters}`,
    code,
    isBehind ? { at: 'opening' } : { at: 'ready', seen: after.length },
    { journal: after, isBusy: isBehind ? isBusy : !isAtRest(after) },
  );
}

function settle(protocol: Protocol, state: State, name: Name, step: Stepping): Step<State> {
  const { journal, workers } = state;
  const code = 'store/claims.ts#settleClaim';
  if (!holds(protocol, state, name))
    return step('cannot settle: the claim is lost', code, { at: 'lost' });
  return journal.length > workers[name].seen
    ? step('finds something new when it settles', code, { at: 'opening' })
    : step('settles the session', code, { at: 'giving' }, { claim: '', isBusy: false });
}
