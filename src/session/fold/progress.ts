// What the agent's steps add up to.
import type { Effect } from '../../contracts/effect.ts';
import type { Usage } from '../../contracts/model.ts';
import type { Entry, EntryOf } from '../entry.ts';
import type { SessionProgress } from '../parts/session-counts.ts';
import { MOSTLY_UNCHANGED, noChange, type Table } from './table.ts';

const NOTHING_USED = {
  used: { turns: 0, tokens: 0, dollars: 0 },
  faultsInARow: 0,
  hasChangedFiles: false,
  workedMs: 0,
};

export const NO_PROGRESS: SessionProgress = {
  ...NOTHING_USED,
  replies: 0,
  steppedAt: '',
  workingSince: '',
};

const stepped = (progress: SessionProgress, { at }: Entry): SessionProgress => ({
  ...progress,
  steppedAt: at,
});

export const PROGRESS: Table<SessionProgress> = {
  ...MOSTLY_UNCHANGED,
  run_started: (progress, { at }) => ({ ...progress, ...NOTHING_USED, workingSince: at }),
  run_resumed: resumed,
  input_read: stepped,
  notice: stepped,
  protocol_changed: stepped,
  images_dropped: stepped,
  call_started: stepped,
  compacted: (progress, entry) => spent(stepped(progress, entry), entry, 0),
  reply: (progress, entry) => ({
    ...spent(stepped(progress, entry), entry, 1),
    replies: progress.replies + 1,
    faultsInARow: entry.fault === null ? 0 : progress.faultsInARow + 1,
  }),
  call_finished: (progress, entry) => ({
    ...entry.effects.reduce(paid, stepped(progress, entry)),
    hasChangedFiles: progress.hasChangedFiles || entry.changedFiles !== undefined,
  }),
  ...noChange(
    'received',
    'admitted',
    'run_prepared',
    'run_deferred',
    'run_paused',
    'run_ended',
    'work_saved',
  ),
};

/** What the run was deferred for, or the service was down, is after the last step. */
function resumed(progress: SessionProgress, { at }: EntryOf<'run_resumed'>): SessionProgress {
  const { steppedAt, workingSince, workedMs } = progress;
  const stretch = Date.parse(steppedAt) - Date.parse(workingSince);
  return { ...progress, workedMs: workedMs + Math.max(0, stretch || 0), workingSince: at };
}

const paid = (progress: SessionProgress, effect: Effect): SessionProgress =>
  'usage' in effect ? spent(progress, effect, 0) : progress;

const spent = (
  progress: SessionProgress,
  { usage, cost }: { readonly usage: Usage; readonly cost: number | null },
  turns: number,
): SessionProgress => ({
  ...progress,
  used: {
    turns: progress.used.turns + turns,
    tokens: progress.used.tokens + usage.input + usage.output,
    dollars: progress.used.dollars + (cost ?? 0),
  },
});
