// Who reviews the change of a session before people do, and what they read.
import { createHash } from 'node:crypto';
import { parsePatch } from 'diff';
import { nearlyUsed } from '../../../agent/limits.ts';
import { notSent } from '../../../agent/prompts/images.ts';
import { beforeSubmitting, changeText } from '../../../agent/prompts/review.ts';
import { reviewChange, roomFor, type Change } from '../../../agent/self-review.ts';
import type { Finding } from '../../../contracts/effect.ts';
import type { Forge } from '../../../contracts/forge.ts';
import type { FileDiff } from '../../../contracts/git.ts';
import { cutMiddle } from '../../../lib/text.ts';
import type { Entry, EntryOf } from '../../../session/entry.ts';
import { diffText } from '../../../tools/git/diff-text.ts';
import type { Reviewer } from '../../../tools/ports.ts';
import type { JournalTracker } from '../../service/journal-tracker.ts';
import type { Service } from '../../service/service.ts';
import { conversationOf } from '../conversation.ts';
import type { RunPlan } from '../plan/plan.ts';
import { spendingOf } from '../spending.ts';
import { stopwatch } from '../stopwatch.ts';

interface Parts extends Pick<Service, 'openModel' | 'store' | 'redact'> {
  readonly tracker: JournalTracker;
  readonly forge: Pick<Forge, 'branchChange'>;
}

/** The findings hold the change back once in a run: what the agent leaves then is for people. */
export const reviewerFor = (
  parts: Parts,
  { reviewModel, limits }: Pick<RunPlan, 'reviewModel' | 'limits'>,
): Reviewer => ({
  review: async ({ head, signal }) => {
    if (reviewModel === undefined) return undefined;
    const { tracker, forge, openModel, redact } = parts;
    const model = await openModel(reviewModel);
    const { files } = await forge.branchChange(head);
    const change = changeOf(files, requestedIn(tracker.entries), { room: roomFor(model), redact });
    const { work, run } = tracker.session;
    if (files.length === 0 || work.selfReview?.change === change.digest) return undefined;
    const review = await reviewChange({
      model,
      change,
      instead: await nearLimit(parts, limits),
      outputTokens: limits.outputTokens,
      cacheKey: `${tracker.id}:review`,
      redact,
      signal,
    });
    const isHeld = review.findings.length > 0 && run?.heldBack !== true;
    return {
      effect: { type: 'self_reviewed', ...review, ...(isHeld ? { heldBack: true } : {}) },
      heldBack: isHeld ? beforeSubmitting(review.findings) : undefined,
    };
  },
});

/** Near its limits a run has to end, not to begin another round. */
async function nearLimit(
  { tracker, store }: Parts,
  limits: RunPlan['limits'],
): Promise<string | undefined> {
  const near = nearlyUsed(limits, {
    ...conversationOf(tracker.entries).used,
    elapsedMs: stopwatch(tracker.entries)(),
    spending: await spendingOf({ tracker, store }, limits.dollars)(),
  });
  return near && `${near.percent} % of the limit of ${near.name} was used.`;
}

const requestedIn = (entries: readonly Entry[]): string =>
  entries
    .flatMap((entry) => (entry.type === 'input_read' ? [entry.text, withoutImages(entry)] : []))
    .filter((text) => text !== '')
    .join('\n\n');

const withoutImages = ({ images = [] }: EntryOf<'input_read'>): string =>
  images.length === 0 ? '' : notSent(images);

/** Requests are seldom longer; the rest of the room is for the diff. */
const SHARE_OF_REQUESTS = 0.3;

interface ChangeOptions {
  /** Characters. */
  readonly room: number;
  readonly redact: (text: string) => string;
}

function changeOf(
  files: readonly FileDiff[],
  requested: string,
  { room, redact }: ChangeOptions,
): Change {
  const asked = cutMiddle(requested, room * SHARE_OF_REQUESTS);
  return {
    digest: createHash('sha256').update(JSON.stringify(files)).digest('hex'),
    text: changeText(asked, diffText(files, room - asked.length)),
    paths: files.map(({ path }) => path),
    findings: files.flatMap((file) => secretsIn(file, redact)),
  };
}

const SECRET =
  'This looks like a secret. Remove it, and say in the summary that whoever owns it has to revoke it.';

/** One for each hunk that adds what looks like a secret. */
function secretsIn(
  { path, hunks = '' }: FileDiff,
  redact: ChangeOptions['redact'],
): readonly Finding[] {
  return parsePatch(hunks)
    .flatMap((patch) => patch.hunks)
    .flatMap(({ newStart, lines }) => {
      const after = lines.filter((line) => /^[ +]/.test(line));
      const added = after.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
      if (redact(added.join('\n')) === added.join('\n')) return [];
      const at = after.findIndex((line) => line.startsWith('+') && redact(line) !== line);
      return [{ path, line: newStart + Math.max(0, at), text: SECRET }];
    });
}
