// Suggestions of a review are applied as they are written, before the agent reads the review.
import { TellModel } from '../../lib/errors.ts';
import { readable } from '../../session/merging.ts';
import { reviewWork } from '../../session/review-work.ts';
import type { Admitted, Session } from '../../session/session.ts';
import {
  applySuggestions,
  placedSuggestion,
  type PlacedSuggestion,
  type SuggestionOutcome,
} from '../../session/suggestions.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import { waitsForApproval } from './plan/plan-first.ts';

interface Parts {
  readonly tracker: Pick<JournalTracker, 'session' | 'append'>;
  readonly workspace: Pick<Workspace, 'files' | 'drain'>;
}

/** Each once, unless a merge or a plan comes first: then the agent decides. `withdrawn`: the `seq` of what its sender may not say any more. Safe to repeat after a crash. */
export async function takeSuggestions(
  { tracker, workspace }: Parts,
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
  const results = [...outcomes].map(([comment, outcome]) => {
    const by = authors.get(comment);
    return { comment, outcome, ...(by === undefined ? {} : { by }) };
  });
  const changes = await workspace.drain();
  await tracker.append({ type: 'suggestions_taken', results }, { changes });
}

const suggestionsOf = (session: Session, item: Admitted) =>
  item.lineComments.flatMap((comment) => {
    const { thread } = comment;
    const found = placedSuggestion(comment);
    return found === undefined ||
      thread === undefined ||
      reviewWork(session, item, thread) !== 'work'
      ? []
      : [{ comment: thread.comment, found }];
  });

const authorsOf = ({ lineComments, sender }: Admitted) =>
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
