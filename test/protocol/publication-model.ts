// How two processes publish the status comment of one session, whose journal grows meanwhile: the queue `publish`, what
// was published before, and the comment. Each step is one statement of the database or one request to GitHub.
import type { Model, Step } from './checker.ts';

type Owner = '' | 'A' | 'B' | 'X';
type Name = 'A' | 'B';

type At =
  | 'idle'
  | 'reading'
  | 'comparing'
  | 'editing'
  | 'verifying'
  | 'looking'
  | 'removing'
  | 'creating'
  | 'saving'
  | 'marking'
  | 'waking'
  | 'failing'
  | 'completing';

/** What the comment says is the `seq` up to which it shows the journal. */
interface Comment {
  readonly id: number;
  readonly text: number;
}

/** Of `publications`. `version` 0: there is none. */
interface Row extends Comment {
  readonly version: number;
}

interface Publisher {
  readonly at: At;
  readonly isFrozen: boolean;
  /** Up to where it has read the journal. */
  readonly seq: number;
  readonly row: Row;
  /** The ids of its comment (0: it has none), and of those that it takes for duplicates. */
  readonly mine: number;
  readonly doomed: readonly number[];
}

interface State {
  readonly lastSeq: number;
  readonly publishedSeq: number;
  /** `publish_at` has a time. */
  readonly isAgain: boolean;
  /** The jobs of the session: one that is queued, and whose handler runs. */
  readonly isQueued: boolean;
  readonly active: Owner;
  readonly row: Row;
  /** On GitHub, oldest first, and how many were made. */
  readonly comments: readonly Comment[];
  readonly made: number;
  readonly publishers: { readonly A: Publisher; readonly B: Publisher };
  readonly hasFrozen: boolean;
  readonly left: Readonly<Record<'entry' | 'crash' | 'loss' | 'freeze', number>>;
}

export interface Publishing {
  readonly looksUp: boolean;
  /** A look-up keeps only the oldest. */
  readonly removes: boolean;
  /** What is saved replaces only what was read before. */
  readonly compares: boolean;
  /** The job of a process that is not heard of any more is given to another one. */
  readonly restarts: boolean;
}

const NO_ROW: Row = { version: 0, id: 0, text: 0 };
const IDLE = { at: 'idle', seq: 0, row: NO_ROW, mine: 0, doomed: [] } as const;
const FRESH: Publisher = { ...IDLE, isFrozen: false };

export type Faults = State['left'];

export function publicationModel(publishing: Publishing, left: Faults): Model<State> {
  return {
    initial: {
      lastSeq: 1,
      publishedSeq: 0,
      isAgain: false,
      isQueued: false,
      active: '',
      row: NO_ROW,
      comments: [],
      made: 0,
      publishers: { A: FRESH, B: FRESH },
      hasFrozen: false,
      left,
    },
    key: (state) => JSON.stringify(state),
    steps: (state) => [
      ...fromOutside(publishing, state),
      ...(['A', 'B'] as const).flatMap((name) => stepsOf(publishing, state, name)),
    ],
    rules: {
      'while no process freezes, no comment is there twice': ({ comments, hasFrozen }) =>
        hasFrozen || comments.length <= 1,
      'nothing counts as published that does not exist': ({ publishedSeq, lastSeq }) =>
        publishedSeq <= lastSeq,
    },
    isRightEnd: ({ lastSeq, publishedSeq, isAgain, isQueued, active, comments, publishers }) =>
      publishedSeq === lastSeq &&
      !isAgain &&
      !isQueued &&
      active === '' &&
      comments.length === 1 &&
      comments[0]?.text === lastSeq &&
      [publishers.A, publishers.B].every(({ at, isFrozen }) => at === 'idle' && !isFrozen),
  };
}

type Change = Partial<Omit<State, 'publishers'>>;
type Stepping = (
  does: string,
  code: string,
  publisher: Partial<Publisher>,
  change?: Change,
) => Step<State>;

const changed = (
  state: State,
  name: Name,
  publisher: Partial<Publisher>,
  change: Change = {},
): State => {
  const { publishers } = state;
  const next = { ...publishers, [name]: { ...publishers[name], ...publisher } };
  return renumbered({ ...state, ...change, publishers: next });
};

/** Of versions only it matters which are the same, so that the lowest numbers do. */
function renumbered(state: State): State {
  const { row, publishers } = state;
  const { A, B } = publishers;
  const used = new Set([0, row.version, A.row.version, B.row.version]);
  const order = [...used].toSorted((one, other) => one - other);
  if (order.at(-1) === order.length - 1) return state;
  const of = (one: Row): Row => ({ ...one, version: order.indexOf(one.version) });
  return {
    ...state,
    row: of(row),
    publishers: { A: { ...A, row: of(A.row) }, B: { ...B, row: of(B.row) } },
  };
}

function fromOutside({ restarts }: Publishing, state: State): Step<State>[] {
  const { left, lastSeq, publishedSeq, isAgain, isQueued, active } = state;
  const steps: Step<State>[] = [];
  const step = (actor: string, does: string, code: string, to: State, isFault = false): void =>
    void steps.push({ actor, does, code, isFault, to });
  if (left.entry > 0)
    step(
      'a run',
      'appends an entry',
      'store/journal/journal.ts#writeEntries',
      {
        ...state,
        lastSeq: lastSeq + 1,
        left: { ...left, entry: left.entry - 1 },
      },
      true,
    );
  if (publishedSeq < lastSeq && !isQueued)
    step('a run', 'wakes publishing', 'store/queue/wakes.ts#publishSoon', {
      ...state,
      isQueued: true,
    });
  if (isAgain)
    step('the sweep', 'wakes publishing at its time', 'store/queue/due.ts#wakeDue', {
      ...state,
      isAgain: false,
      isQueued: true,
    });
  const isUnheard = active === 'X' || (active !== '' && state.publishers[active].isFrozen);
  if (isUnheard && restarts)
    step('the queue', 'restarts a job without a sign of life', 'store/queue/queue.ts#openQueue', {
      ...state,
      active: '',
      isQueued: true,
    });
  return steps;
}

/** While it is not in the middle of a pass. */
const HARMLESS: ReadonlySet<At> = new Set(['idle', 'reading', 'completing']);

function faultsOf(state: State, name: Name): Step<State>[] {
  const { left, active, hasFrozen, publishers } = state;
  const { isFrozen, at } = publishers[name];
  const steps: Step<State>[] = [];
  // What no protocol can prevent, see docs/decisions/0044-session-as-tables.md#0081-the-protocol-of-sessions-is-a-model-and-a-checker-of-our-own-visits-all-of-it.
  const isBeyondHelp = hasFrozen && !HARMLESS.has(at);
  if (left.crash > 0 && !isBeyondHelp) {
    const change: Change = {
      active: active === name ? 'X' : active,
      left: { ...left, crash: 0 },
    };
    const to = changed(state, name, FRESH, change);
    steps.push({ actor: name, does: 'is killed, and starts again', isFault: true, to });
  }
  // The two are alike, so it is enough that one freezes.
  if (left.freeze > 0 && name === 'A') {
    const change: Change = { hasFrozen: true, left: { ...left, freeze: 0 } };
    const to = changed(state, name, { isFrozen: true }, change);
    steps.push({ actor: name, does: 'freezes', isFault: true, to });
  }
  if (isFrozen)
    steps.push({ actor: name, does: 'goes on', to: changed(state, name, { isFrozen: false }) });
  return steps;
}

function stepsOf(publishing: Publishing, state: State, name: Name): Step<State>[] {
  if (state.publishers[name].isFrozen) return faultsOf(state, name);
  const step: Stepping = (does, code, publisher, change) => ({
    actor: name,
    does,
    code,
    to: changed(state, name, publisher, change),
  });
  return [
    ...faultsOf(state, name),
    ...PUBLISHING[state.publishers[name].at](publishing, state, name, step),
  ];
}

type Act = (publishing: Publishing, state: State, name: Name, step: Stepping) => Step<State>[];

/** By what the process does next. */
const PUBLISHING: Readonly<Record<At, Act>> = {
  idle: (_publishing, { isQueued, active }, name, step) =>
    isQueued && active === ''
      ? [
          step(
            'takes the job',
            'store/queue/queue.ts#workPublish',
            { at: 'reading' },
            {
              isQueued: false,
              active: name,
            },
          ),
        ]
      : [],
  reading: (_publishing, { lastSeq }, _name, step) => [
    step('reads the journal', 'app/service/journal-tracker.ts#read', {
      at: 'comparing',
      seq: lastSeq,
    }),
  ],
  comparing: ({ looksUp }, { row, publishers }, name, step) => {
    const { seq } = publishers[name];
    const unknown = looksUp ? 'looking' : 'creating';
    const at = row.text === seq ? 'marking' : row.id === 0 ? unknown : 'editing';
    const mine = at === 'editing' ? row.id : 0;
    const read = at === 'marking' ? NO_ROW : row;
    return [
      step('reads what was published', 'store/publications.ts#readPublications', {
        at,
        mine,
        row: read,
      }),
    ];
  },
  editing: (_publishing, { comments, publishers, left }, name, step) => {
    const { mine, seq } = publishers[name];
    const code = 'github/comments.ts#edit';
    if (!comments.some(({ id }) => id === mine))
      return [step('finds its comment gone', code, { at: 'looking', mine: 0 })];
    const edited = comments.map((one) => (one.id === mine ? { id: mine, text: seq } : one));
    const steps = [step(`edits it to show ${seq}`, code, { at: 'saving' }, { comments: edited })];
    if (left.loss > 0) {
      const lost = { comments: edited, left: { ...left, loss: 0 } };
      const losing = step(
        `edits it to show ${seq}; the answer is lost`,
        code,
        { at: 'verifying' },
        lost,
      );
      steps.push({ ...losing, isFault: true });
    }
    return steps;
  },
  verifying: (_publishing, { comments, publishers }, name, step) => {
    const { mine, seq } = publishers[name];
    const isThere = comments.some(({ id, text }) => id === mine && text === seq);
    return [
      step('looks whether the edit arrived', 'github/gate.ts#verifyAfterLostResponse', {
        at: isThere ? 'saving' : 'failing',
      }),
    ];
  },
  looking: ({ removes }, { comments, publishers }, name, step) => {
    const [oldest, ...rest] = comments;
    const doomed = removes ? rest.map(({ id }) => id) : [];
    const shown = oldest?.text === publishers[name].seq ? 'saving' : 'editing';
    const at = oldest === undefined ? 'creating' : doomed.length > 0 ? 'removing' : shown;
    const mine = oldest?.id ?? 0;
    return [step('looks for its comment', 'github/comments.ts#findOwn', { at, mine, doomed })];
  },
  removing: (_publishing, { comments, publishers }, name, step) => {
    const [first = 0, ...doomed] = publishers[name].doomed;
    const left = comments.filter(({ id }) => id !== first);
    const at = doomed.length > 0 ? 'removing' : 'editing';
    const does = `removes the duplicate ${first}`;
    return [step(does, 'github/comments.ts#findOwn', { at, doomed }, { comments: left })];
  },
  creating: (_publishing, { comments, made, publishers, left }, name, step) => {
    const id = made + 1;
    const code = 'github/comments.ts#create';
    const there = { made: id, comments: [...comments, { id, text: publishers[name].seq }] };
    const steps = [step('creates it', code, { at: 'saving', mine: id }, there)];
    if (left.loss > 0) {
      const lost = { ...there, left: { ...left, loss: 0 } };
      const losing = step(
        'creates it; the answer is lost',
        code,
        { at: 'looking', mine: id },
        lost,
      );
      steps.push({ ...losing, isFault: true });
    }
    return steps;
  },
  saving: ({ compares }, { row, publishers }, name, step) => {
    const { row: read, mine, seq } = publishers[name];
    const code = 'store/publications.ts#savePublication';
    if (compares && row.version !== read.version)
      return [
        step('finds that another saved one', code, { at: 'looking', row: NO_ROW }, { row: NO_ROW }),
      ];
    const { A, B } = publishers;
    const version = 1 + Math.max(row.version, A.row.version, B.row.version);
    const saved = { version, id: mine, text: seq };
    return [
      step(
        'saves what it published',
        code,
        { at: 'marking', row: NO_ROW, mine: 0 },
        { row: saved },
      ),
    ];
  },
  marking: (_publishing, state, name, step) => {
    const { seq } = state.publishers[name];
    const { publishedSeq, lastSeq } = state;
    return [
      step(
        `marks ${seq} as published`,
        'store/publications.ts#markPublished',
        { ...IDLE, at: lastSeq > seq ? 'waking' : 'completing' },
        { publishedSeq: Math.max(publishedSeq, seq), isAgain: false },
      ),
    ];
  },
  waking: (_publishing, _state, _name, step) => [
    step(
      'wakes publishing for what came meanwhile',
      'store/publications.ts#markPublished',
      { ...IDLE, at: 'completing' },
      { isQueued: true },
    ),
  ],
  failing: (_publishing, { publishers, publishedSeq }, name, step) => [
    step(
      'fails, and tries again later',
      'store/publications.ts#markPublished',
      { ...IDLE, at: 'completing' },
      {
        publishedSeq: Math.max(publishedSeq, publishers[name].seq),
        isAgain: true,
      },
    ),
  ],
  completing: (_publishing, { active }, name, step) => [
    step(
      'completes the job',
      'store/queue/queue.ts#workPublish',
      IDLE,
      active === name ? { active: '' } : {},
    ),
  ],
};
