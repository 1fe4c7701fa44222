// Work that begins at another pull request of ours, and goes to its branch until that is merged.
import type { GitHubRepository } from '../../github/repository.ts';
import { GitHubDenied } from '../../github/errors.ts';
import { issueOf } from '../../session/github-names.ts';
import type { EntryOf } from '../../session/entry.ts';
import type { Below, NotBased } from '../../session/merge-entry.ts';
import { basedOn, canChooseBase } from '../../session/merging.ts';
import { isClosed } from '../../session/state.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { SessionStore } from '../../store/session-store.ts';

export interface StackParts {
  readonly tracker: Pick<JournalTracker, 'session' | 'append'>;
  readonly github: Pick<GitHubRepository, 'pullRequest' | 'changeBase'>;
  readonly store: Pick<SessionStore, 'sessionFor'>;
}

/** Before a run is planned: looks up what people named, and journals whether the work begins there. */
export async function chooseBase(parts: StackParts): Promise<void> {
  const { tracker } = parts;
  const { session } = tracker;
  const { dependsOn: named } = session.thread;
  if (named.length === 0 || !canChooseBase(session)) return;
  const found = await choose(parts, named);
  await tracker.append({ type: 'base_chosen', run: session.run?.number ?? 0, named, found });
}

type Unmet = Extract<NotBased, { kind: 'none' }>['named'][number];

async function choose(
  parts: StackParts,
  numbers: readonly number[],
): Promise<EntryOf<'base_chosen'>['found']> {
  const open: Below[] = [];
  const named: Unmet[] = [];
  for (const number of numbers) {
    const looked = await lookUp(parts, number);
    if (typeof looked === 'string') named.push({ number, because: looked });
    else open.push(looked);
  }
  const [below, ...others] = open;
  if (below === undefined) return { kind: 'none', named };
  if (others.length > 0)
    return { kind: 'several', pullRequests: open.map(({ pullRequest }) => pullRequest) };
  return { kind: 'based', ...below, baseBranch: below.branch };
}

/** The open pull request of ours with this number, or of the issue with this number. */
async function lookUp(
  { tracker, github, store }: StackParts,
  number: number,
): Promise<Below | Unmet['because']> {
  const { repository, issue } = tracker.session.thread;
  const found = await store.sessionFor(repository.id, number);
  if (number === issue || found?.issue === issue) return 'itself';
  if (found === undefined || found.pullRequest === null) return 'none';
  const pull = await github.pullRequest(found.pullRequest);
  if (pull?.isOwn !== true || pull.fork !== undefined) return 'none';
  if (!pull.isOpen) return pull.isMerged ? 'merged' : 'none';
  return { pullRequest: pull.number, branch: pull.branch };
}

/**
 * Journals what became of the pull request below. If it was merged, ours goes where it went, unless GitHub saw to that
 * already because its branch was deleted. Safe to repeat.
 */
export async function followBase(parts: StackParts): Promise<void> {
  const { tracker, github } = parts;
  const { session } = tracker;
  const base = basedOn(session);
  if (base === undefined || isClosed(session) || session.requests.stop !== undefined) return;
  const { pullRequest, branch } = base;
  const below = await github.pullRequest(pullRequest);
  const changed = { type: 'base_changed', pullRequest } as const;
  if (below?.isMerged === true) {
    await tracker.append({ ...changed, state: 'merged', ...(await above(parts, base, below)) });
    return;
  }
  const own = session.thread.pullRequest?.number;
  const now = own === undefined ? undefined : await github.pullRequest(own);
  const state = below?.isOpen === true ? 'open' : 'closed';
  if (now?.isOpen === true && now.baseBranch !== branch)
    await tracker.append({ ...changed, state: 'left', baseBranch: now.baseBranch });
  else if (state !== base.state) await tracker.append({ ...changed, state, baseBranch: branch });
}

/** Where ours goes once the one below was merged into `baseBranch`. */
async function above(
  parts: StackParts,
  { branch: from }: Below,
  { baseBranch: to }: { readonly baseBranch: string },
): Promise<Pick<EntryOf<'base_changed'>, 'baseBranch' | 'next' | 'problem'>> {
  const { tracker, github } = parts;
  const number = tracker.session.thread.pullRequest?.number;
  try {
    const baseBranch = number === undefined ? to : await github.changeBase({ number, from, to });
    const issue = issueOf(baseBranch);
    const next = issue === undefined ? 'none' : await lookUp(parts, issue);
    return typeof next !== 'string' && next.branch === baseBranch
      ? { baseBranch, next }
      : { baseBranch };
  } catch (error) {
    if (!(error instanceof GitHubDenied)) throw error;
    return { baseBranch: from, problem: error.message };
  }
}
