// What two processes, the database and GitHub hold of one session.

/** `X`: a process that was killed; nobody answers under its name any more. */
type Owner = '' | 'A' | 'B' | 'X';

/** What a process does next with the session. */
export type At =
  | 'idle'
  | 'taken'
  | 'opening'
  | 'ready'
  | 'reading'
  | 'looking'
  | 'removing'
  | 'creating'
  | 'recording'
  | 'acted'
  | 'lost'
  | 'giving';

/** A row of `publications`. `version` 0: there is none. */
interface Row {
  readonly version: number;
  readonly id: string;
}

export interface Worker {
  readonly at: At;
  readonly isFrozen: boolean;
  /** The database has heard of it. */
  readonly isKnown: boolean;
  /** It has learned that others have the session. */
  readonly isTold: boolean;
  /** How much of the journal it has read. */
  readonly seen: number;
  /** The row of its comment, as it read it. */
  readonly row: Row;
  /** Its comment, and those that it takes for duplicates. */
  readonly mine: string;
  readonly doomed: string;
}

export interface State {
  /**
   * `q`: a request was received; `c`: a comment was received; `1`, `2`: a run read them; `R`: a reply with a call; `n`: a
   * reply without; `s`: the call was started; `f`: it was finished; `e`: the run ended.
   */
  readonly journal: string;
  readonly claim: Owner;
  /** The column `state`: whether there is something to do. */
  readonly isBusy: boolean;
  /** The row in `session_queue`. */
  readonly isWoken: boolean;
  readonly taker: Owner;
  readonly row: Row;
  /** The ids of the comments of the call that are on GitHub, oldest first, and how many were made. */
  readonly comments: string;
  readonly made: number;
  readonly workers: { readonly A: Worker; readonly B: Worker };
  readonly hasFrozen: Owner;
  /** What may still happen. */
  readonly left: Readonly<Record<'comment' | 'crash' | 'loss' | 'freeze', number>>;
}

export const NO_ROW: Row = { version: 0, id: '' };

export const FRESH: Worker = {
  at: 'idle',
  isFrozen: false,
  isKnown: true,
  isTold: false,
  seen: 0,
  row: NO_ROW,
  mine: '',
  doomed: '',
};

export const INITIAL: State = {
  journal: 'q',
  claim: '',
  isBusy: true,
  isWoken: true,
  taker: '',
  row: NO_ROW,
  comments: '',
  made: 0,
  workers: { A: FRESH, B: FRESH },
  hasFrozen: '',
  left: { comment: 0, crash: 0, loss: 0, freeze: 0 },
};

/** Whole journals, without what people did. */
export const WHOLE = ['1Rsfne', '12Rsfne', '1Rsf2ne', '1ne', '12ne', '1Rsfne2ne', '1ne2ne'];
export const ofRuns = (journal: string): string => journal.replaceAll(/[qc]/g, '');
const isUnread = (journal: string): boolean => journal.includes('c') && !journal.includes('2');

/** What a run does next, by what it has read: entries, one of which is appended; or `act`, or `rest`. */
export function nextOf(journal: string): readonly string[] | 'act' | 'rest' {
  const run = ofRuns(journal.slice(journal.lastIndexOf('e') + 1));
  const last = run.at(-1);
  if (last === undefined) {
    if (!journal.includes('1')) return ['1'];
    return isUnread(journal) ? ['2'] : 'rest';
  }
  if (last === 'R') return ['s'];
  if (last === 's') return 'act';
  if (last === 'n') return ['e'];
  if (last !== '2' && isUnread(journal)) return ['2'];
  return run.includes('1') && !run.includes('f') ? ['R', 'n'] : ['n'];
}

export const isAtRest = (journal: string): boolean => nextOf(journal) === 'rest';

export type Faults = State['left'];

export type Name = 'A' | 'B';
export type Change = Partial<Omit<State, 'workers'>>;

/** The state after a change of it and of one process. */
export const changed = (
  state: State,
  name: Name,
  worker: Partial<Worker>,
  change: Change = {},
): State =>
  renumbered({
    ...state,
    ...change,
    workers: { ...state.workers, [name]: { ...state.workers[name], ...worker } },
  });

/** Of versions only it matters which are the same, so that the lowest numbers do. */
function renumbered(state: State): State {
  const { row, workers } = state;
  const { A, B } = workers;
  const used = new Set([0, row.version, A.row.version, B.row.version]);
  const order = [...used].toSorted((one, other) => one - other);
  if (order.at(-1) === order.length - 1) return state;
  const of = ({ version, id }: Row): Row => ({ version: order.indexOf(version), id });
  return {
    ...state,
    row: of(row),
    workers: { A: { ...A, row: of(A.row) }, B: { ...B, row: of(B.row) } },
  };
}

export function keyOf({ workers: { A, B }, left, row, ...state }: State): string {
  const { journal, claim, isBusy, isWoken, taker, comments, made, hasFrozen } = state;
  const { comment, crash, loss, freeze } = left;
  return `${journal} ${claim} ${isBusy} ${isWoken} ${taker} ${row.version} ${row.id} ${comments} ${made} ${hasFrozen} ${comment}${crash}${loss}${freeze} ${keyOfWorker(A)} ${keyOfWorker(B)}`;
}

const keyOfWorker = ({ at, isFrozen, isKnown, isTold, seen, row, mine, doomed }: Worker): string =>
  `${at} ${isFrozen} ${isKnown} ${isTold} ${seen} ${row.version} ${mine} ${doomed}`;
