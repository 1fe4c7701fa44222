// Suggestions of a review are applied as they are written, before the agent reads the review.
import { TellModel } from '../../lib/errors.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { readable } from '../../session/merging.ts';
import { reviewWork } from '../../session/requested-work.ts';
import type { AdmittedIntent, Session } from '../../session/session.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { JournalWriter, TrackedSession } from '../service/journal-tracker.ts';
import { waitsForApproval } from './plan/offered-tools.ts';
import type { SuggestionOutcome } from '../../session/parts/session-reviews.ts';
import type { LineComment, Suggestion } from '../../contracts/shown-text.ts';

interface SuggestionDeps {
  readonly tracker: TrackedSession & JournalWriter;
  readonly workspace: Pick<Workspace, 'files' | 'drain'>;
}

/** Each once, unless a merge or a plan comes first: then the agent decides. `withdrawn`: the `seq` of what its sender may not say any more. Safe to repeat after a crash. */
export async function takeSuggestions(
  { tracker, workspace }: SuggestionDeps,
  withdrawn: ReadonlySet<number>,
): Promise<void> {
  const { session } = tracker;
  if (waitsForApproval(session) || session.work.merge !== undefined) return;
  const done = new Set(session.reviews.suggestions.map(({ comment }) => comment));
  const placed: PlacedSuggestion[] = [];
  const outcomes = new Map<number, SuggestionOutcome>();
  const items = readable(session).filter(({ seq }) => !withdrawn.has(seq));
  for (const { comment, found } of items.flatMap((item) => suggestionsOf(session, item))) {
    if (done.has(comment)) continue;
    if (typeof found === 'string') outcomes.set(comment, found);
    else placed.push(found);
  }
  for (const path of new Set(placed.map((one) => one.path)))
    for (const [comment, outcome] of await applyTo(path, placed, workspace.files))
      outcomes.set(comment, outcome);
  if (outcomes.size === 0) return;
  const authors = new Map(items.flatMap(authorsOf));
  const results = [...outcomes].map(([comment, outcome]) =>
    withoutUndefined({ comment, outcome, by: authors.get(comment) }),
  );
  const changes = await workspace.drain();
  await tracker.append({ type: 'suggestions_taken', results }, { changes });
}

const suggestionsOf = (session: Session, item: AdmittedIntent) =>
  item.lineComments.flatMap((comment) => {
    const { thread } = comment;
    const found = placedSuggestion(comment);
    return found === undefined ||
      thread === undefined ||
      reviewWork(session, item, thread) !== 'work'
      ? []
      : [{ comment: thread.comment, found }];
  });

const authorsOf = ({ lineComments, sender }: AdmittedIntent) =>
  lineComments.flatMap(({ thread }) =>
    thread === undefined ? [] : [[thread.comment, sender] as const],
  );

async function applyTo(
  path: string,
  placed: readonly PlacedSuggestion[],
  files: Workspace['files'],
): Promise<ReadonlyMap<number, SuggestionOutcome>> {
  const here = placed.filter((one) => one.path === path);
  try {
    const before = Buffer.from(await files.read(path)).toString('latin1');
    const { text, outcomes } = applySuggestions(before, here);
    if (text !== before) await files.write(path, Buffer.from(text, 'latin1'));
    return outcomes;
  } catch (error) {
    // The file is gone, or the agent may not write it.
    if (!(error instanceof TellModel)) throw error;
    return new Map(here.map(({ comment }) => [comment, 'not allowed']));
  }
}

interface PlacedSuggestion {
  /** The id of the comment. */
  readonly comment: number;
  readonly path: string;
  /** From 1; `to` is the last one. */
  readonly from: number;
  readonly to: number;
  /** The lines that it replaces, without line breaks. */
  readonly before: readonly string[];
  readonly lines: string;
}

/** `undefined`: the comment has no suggestion. */
export function placedSuggestion({
  path,
  line,
  thread,
}: LineComment): PlacedSuggestion | SuggestionOutcome | undefined {
  if (thread?.suggestion === undefined) return undefined;
  const { suggestion, comment, firstLine, side, hunk, isOutdated } = thread;
  if ('unclear' in suggestion) return suggestion.unclear;
  if (line === null || side === 'old' || isOutdated) return 'changed';
  const from = firstLine ?? line;
  const count = line - from + 1;
  const shown = hunk.split('\n').filter((one) => /^[ +]/.test(one));
  const before = shown.slice(-count).map((one) => one.slice(1));
  if (count < 1 || before.length < count) return 'changed';
  return { comment, path, from, to: line, before, ...(suggestion satisfies Suggestion) };
}

interface AppliedSuggestions {
  readonly text: string;
  readonly outcomes: ReadonlyMap<number, 'applied' | 'changed' | 'overlaps'>;
}

/** Applies those that fit to a file. One character of `text` is one byte. */
export function applySuggestions(
  text: string,
  all: readonly PlacedSuggestion[],
): AppliedSuggestions {
  const lines = text.split(/(?<=\n)/);
  const outcomes = new Map<number, 'applied' | 'changed' | 'overlaps'>();
  let free = Infinity;
  // From the end of the file, so that the lines before keep their numbers.
  for (const one of all.toSorted((a, b) => b.to - a.to || a.comment - b.comment)) {
    const fits = isAsBefore(lines, one) ? 'applied' : 'changed';
    const outcome = one.to >= free ? 'overlaps' : fits;
    outcomes.set(one.comment, outcome);
    if (outcome !== 'applied') continue;
    free = one.from;
    lines.splice(one.from - 1, one.before.length, fitting(one.lines, lines[one.to - 1] ?? ''));
  }
  return { text: lines.join(''), outcomes };
}

const isAsBefore = (lines: readonly string[], { from, before }: PlacedSuggestion): boolean =>
  before.every((line, at) => {
    const bytes = Buffer.from(line.replace(/\r$/, '')).toString('latin1');
    return bytes === (lines[from - 1 + at] ?? '\0').replace(/\r?\n$/, '');
  });

/** With the line breaks of the last line that they replace. */
function fitting(lines: string, last: string): string {
  const bytes = Buffer.from(lines).toString('latin1');
  if (last.endsWith('\r\n')) return bytes.replaceAll('\n', '\r\n');
  return last.endsWith('\n') ? bytes : bytes.replace(/\n$/, '');
}
