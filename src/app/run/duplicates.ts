// Before the first run of a session: whether someone has solved the issue already, or is about to.
import { sharedNow } from '../../lib/clock.ts';
import type { Effect } from '../../contracts/effect.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { GitHubDenied } from '../../github/errors.ts';
import type { Duplicate } from '../../contracts/related-work.ts';
import { claimants, duplicatesIn, isClear } from '../../session/duplicates.ts';
import type { Session } from '../../session/session.ts';
import { duplicatesQuestion } from '../../session/texts/duplicates-found.ts';
import { mayAsk, type KnownRoles } from '../admission/who-may.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { RunPlan } from './plan/plan.ts';

type Parts = {
  readonly tracker: Pick<JournalTracker, 'session' | 'entries' | 'append'>;
  readonly github: Pick<GitHubRepository, 'relatedWork' | 'permissionOf'>;
};
type Rules = Pick<RunPlan, 'duplicates' | 'mode' | 'who' | 'questionTimeout'>;

/** Looks once in a session, before anything costs money, and journals what it finds. Whether this run asks about it. */
export async function asksAboutDuplicates(parts: Parts, rules: Rules): Promise<boolean> {
  const { tracker } = parts;
  if (isDue(parts, rules)) await lookForDuplicates(parts, rules);
  const looked = tracker.entries.find((entry) => entry.type === 'duplicates_searched');
  return looked?.run === tracker.session.run?.number && looked?.effects.length === 1;
}

function isDue({ tracker }: Parts, { duplicates, mode }: Rules): boolean {
  const { entries, session } = tracker;
  if (duplicates === 'off' || mode === 'completion' || session.thread.adopted !== undefined)
    return false;
  return !entries.some(({ type }) => type === 'duplicates_searched' || type === 'run_prepared');
}

async function lookForDuplicates({ tracker, github }: Parts, rules: Rules): Promise<void> {
  const { session } = tracker;
  const found = await duplicatesOf(session, github, rules);
  const asks = rules.duplicates === 'ask' && found.some(isClear);
  await tracker.append({
    type: 'duplicates_searched',
    run: session.run?.number ?? 0,
    found,
    effects: asks ? [question(found, rules)] : [],
  });
}

/** With the one request for what is around the issue, four in all. */
const MOST_LOOKUPS = 3;

/** What GitHub does not let us look up holds no work up. */
async function duplicatesOf(
  session: Session,
  github: Parts['github'],
  { who }: Rules,
): Promise<readonly Duplicate[]> {
  const { issue, title, issueText, repository } = session.thread;
  try {
    const related = await github.relatedWork(issue);
    if (related === undefined) return [];
    const about = { issue, title, body: issueText?.body ?? '', repository };
    const known: KnownRoles = new Map();
    const trusted = new Set<string>();
    for (const login of claimants(related, about).slice(0, MOST_LOOKUPS))
      if (await mayAsk(github, { login }, who, known)) trusted.add(login);
    return duplicatesIn(related, about, (login) => trusted.has(login));
  } catch (error) {
    if (error instanceof GitHubDenied) return [];
    throw error;
  }
}

/** Nobody is charged because nobody answered: without an answer it waits on. */
function question(
  found: readonly Duplicate[],
  { questionTimeout: timeout }: Rules,
): Extract<Effect, { type: 'question' }> {
  const text = duplicatesQuestion(found);
  if (timeout === undefined) return { type: 'question', text, items: [{ text }] };
  const until = new Date(sharedNow() + timeout.afterMs).toISOString();
  return { type: 'question', text, items: [{ text }], deadline: { until, action: 'pause' } };
}
