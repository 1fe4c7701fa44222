// Which entries of a journal are still needed once a session is folded from all of them.
import { ANSWER_TOOL } from '../lib/server-tool-name.ts';
import type { Effect } from '../contracts/effect.ts';
import type { AdmissionVerdict, Entry, EntryOf, NewEntry } from './entry.ts';

/**
 * What of a journal is kept, by the numbers of the entries. A *step* is an entry of the agent's work: there are thousands of
 * them in a long run, and a view shows few. All other entries stay.
 */
export interface KeptEntries {
  /** Those that stay, whatever happens. */
  readonly lasting: readonly number[];
  /** The last reply, which may become the answer of its run; 0 before the first. */
  readonly lastReply: number;
  /** The conversation has all steps after this entry, and `first`. */
  readonly since: number;
  /** The steps of its first message; none if that is no step, or nothing was said yet. */
  readonly first: readonly number[];
  /** Something was said in it. */
  readonly hasBegun: boolean;
  /** By topic, the last notice of the latest run: what has left the conversation is said again. */
  readonly notices: readonly (readonly [topic: string, seq: number])[];
}

export const NOTHING_KEPT: KeptEntries = {
  lasting: [],
  lastReply: 0,
  since: 0,
  first: [],
  hasBegun: false,
  notices: [],
};

type StepEntry = EntryOf<
  'reply' | 'call_started' | 'call_output' | 'call_finished' | 'notice' | 'compacted'
>;

const STEPS: Readonly<Record<StepEntry['type'], true>> = {
  reply: true,
  call_started: true,
  call_output: true,
  call_finished: true,
  notice: true,
  compacted: true,
};

const isStep = (entry: Entry): entry is StepEntry => Object.hasOwn(STEPS, entry.type);

/** What is kept after one more entry. */
export function keep(kept: KeptEntries, entry: Entry): KeptEntries {
  if (isStep(entry)) return step(kept, entry);
  const after = withLasting(kept, entry);
  if (entry.type === 'run_started') return started(after, entry);
  if (entry.type === 'input_read') return { ...after, hasBegun: true };
  const isAnswer = entry.type === 'run_ended' && entry.end.kind === 'answered';
  return isAnswer && kept.lastReply > 0 ? withLasting(after, { seq: kept.lastReply }) : after;
}

const started = (kept: KeptEntries, { seq, afresh }: EntryOf<'run_started'>): KeptEntries => ({
  ...kept,
  notices: [],
  ...(afresh === true ? { first: [], hasBegun: false, since: seq } : {}),
});

function step(kept: KeptEntries, entry: StepEntry): KeptEntries {
  switch (entry.type) {
    case 'call_output':
      return kept;
    case 'call_started':
      return isOfLasting(kept, entry) ? withLasting(kept, entry) : kept;
    case 'notice': {
      const others = kept.notices.filter(([topic]) => topic !== entry.topic);
      return { ...begun(kept, entry), notices: [...others, [entry.topic, entry.seq]] };
    }
    case 'reply': {
      const after = { ...begun(kept, entry), lastReply: entry.seq };
      const passesOn = entry.calls.some(({ tool }) => tool === ANSWER_TOOL);
      return passesOn ? withLasting(after, entry) : after;
    }
    case 'call_finished': {
      const first = kept.first[0] === entry.reply ? [...kept.first, entry.seq] : kept.first;
      const after = { ...kept, first };
      const lasts = entry.effects.some(isShown) || isOfLasting(kept, entry);
      return lasts ? withLasting(after, entry) : after;
    }
    case 'compacted':
      // The last turn stays: what was wrong with it matters to the next request.
      return { ...kept, since: Math.max(kept.since, Math.min(entry.upTo, kept.lastReply - 1)) };
    default:
      return entry satisfies never;
  }
}

const begun = (kept: KeptEntries, { seq }: Entry): KeptEntries =>
  kept.hasBegun ? kept : { ...kept, hasBegun: true, first: [seq] };

const withLasting = (kept: KeptEntries, { seq }: Pick<Entry, 'seq'>): KeptEntries => ({
  ...kept,
  lasting: [...kept.lasting, seq],
});

/** Keep the reply that answered an MCP question, so that it is forwarded only once. */
const isOfLasting = ({ lasting, lastReply }: KeptEntries, { reply }: { readonly reply: number }) =>
  reply === lastReply && lasting.includes(reply);

/** What has a publication of its own, or a question of a server. */
function isShown(effect: Effect): boolean {
  return effect.type === 'plan' ? effect.needsApproval === true : SHOWN.has(effect.type);
}

const SHOWN: ReadonlySet<Effect['type']> = new Set([
  'question',
  'workflow_change',
  'sub_issues_proposed',
  'patch',
  'server_question',
]);

/** The entries that are needed: by views, or by a run too. */
export function needed(entries: readonly Entry[], kept: KeptEntries, by: 'views' | 'run'): Entry[] {
  const { lasting, lastReply, first, notices, since } = kept;
  const ofRun = by === 'run' ? [...first, ...notices.map(([, seq]) => seq)] : [];
  const numbers = new Set([...lasting, lastReply, ...ofRun]);
  const isRecent = (entry: Entry): boolean =>
    by === 'run' && entry.seq > since && entry.type !== 'call_output';
  return entries.filter((entry) => numbers.has(entry.seq) || isRecent(entry));
}

/** The conversation: what is kept for other reasons, and has left it, is not said again. */
export function conversationEntries(
  entries: readonly Entry[],
  { since, first }: KeptEntries,
): readonly Entry[] {
  return entries.filter(
    (entry) => !isStep(entry) || entry.seq > since || first.includes(entry.seq),
  );
}

/** The entry with this number, if it is there. The entries are in order, and some are missing. */
export function entryAt(entries: readonly Entry[], seq: number): Entry | undefined {
  let from = 0;
  let to = entries.length - 1;
  while (from <= to) {
    const middle = (from + to) >> 1;
    const entry = entries[middle];
    if (entry === undefined || entry.seq === seq) return entry;
    if (entry.seq < seq) from = middle + 1;
    else to = middle - 1;
  }
  return undefined;
}

/** What an entry cost in US dollars; `null` if nothing, or if that is unknown. */
export function dollarsOf(entry: NewEntry): number | null {
  if (entry.type === 'call_finished') return dollarsOfCall(entry) || null;
  const dollars = 'cost' in entry ? entry.cost : null;
  return dollars === 0 ? null : dollars;
}

/** Something of it was asked of a model whose price is not known. */
export const isPriceUnknown = (entry: NewEntry): boolean =>
  entry.type === 'call_finished'
    ? entry.effects.some((effect) => 'cost' in effect && effect.cost === null)
    : 'cost' in entry && entry.cost === null;

const dollarsOfCall = ({ effects }: Pick<EntryOf<'call_finished'>, 'effects'>): number =>
  effects.reduce((sum, effect) => sum + ('cost' in effect ? (effect.cost ?? 0) : 0), 0);

/**
 * The verdicts that count, by the number of the `received` entry. Two processes, or two lanes of one,
 * may judge the same entry at once: the first verdict counts.
 */
export function verdictsIn(entries: readonly Entry[]): ReadonlyMap<number, AdmissionVerdict> {
  const verdicts = new Map<number, AdmissionVerdict>();
  for (const entry of entries)
    if ((entry.type === 'admitted' || entry.type === 'rejected') && !verdicts.has(entry.received))
      verdicts.set(entry.received, entry);
  return verdicts;
}
