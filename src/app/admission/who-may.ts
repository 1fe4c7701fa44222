// Who may ask for what, who still may, and who approves what waits for that.
import type { Ask, Person } from '../../contracts/intent.ts';
import type { PermissionLookup } from '../../github/repository.ts';
import type { RepositorySettings } from '../../session/settings/index.ts';
import { sharedNow } from '../../lib/clock.ts';
import type { Entry, EntryOf } from '../../session/entry.ts';
import { entryAt, verdictsIn } from '../../session/kept-entries.ts';
import { isAskedByPerson, isWithdrawal, maySayYes } from '../../session/said/asks.ts';
import type { Service } from '../service/service.ts';
import type { TrackedJournal, TrackedSession } from '../service/journal-tracker.ts';
import { isApproval } from '../../session/said/approval.ts';
import type { ReceivedIntent } from '../../session/session.ts';
import type { ShownTexts } from './shown-texts.ts';

const RANKS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

type Role = (typeof RANKS)[number];

/** `id` if it is known: the login may be another account's by now. */
export type AskingAccount = Pick<Person, 'login' | 'operator'> & {
  readonly id?: number | undefined;
};

/** What was looked up before, by login and id. */
export type KnownRoles = Map<string, Promise<Role>>;

/** Roles that may request work and whose comments are followed, unless the settings say otherwise. */
export const MAY_ASK: ReadonlySet<string> = new Set(['write', 'maintain', 'admin']);

export const isAllowedBot = (
  { login }: Pick<Person, 'login'>,
  allowedBots: readonly string[],
): boolean => allowedBots.includes(login.toLowerCase());

/** Whether the person has the role or more. @throws {GitHubDenied} if GitHub does not let us look it up */
export async function mayAsk(
  github: PermissionLookup,
  { login, id, operator }: AskingAccount,
  least: RepositorySettings['who'],
  known: KnownRoles,
): Promise<boolean> {
  if (operator === true) return true;
  const key = `${login} ${id ?? ''}`;
  const asked = known.get(key) ?? github.permissionOf(login, id);
  known.set(key, asked);
  return RANKS.indexOf(await asked) >= RANKS.indexOf(least);
}

// Permissions change while work waits: for a free slot, an answer, or the end of a pause.

/** A verdict this young is not looked up again. */
const FRESH_MS = 60_000;

/**
 * Who requested the work that is about to begin or resume, and no longer may;
 * `undefined` as long as one of those who asked for something since the last run may. The operator's list of
 * bots may have changed too: it is read when the service starts.
 * @throws {GitHubDenied} if GitHub does not let us look it up
 */
export async function whoMayNoLonger(
  { session, entries }: TrackedJournal,
  github: PermissionLookup,
  who: RepositorySettings['who'],
  allowedBots: Service['allowedBots'],
): Promise<Person | undefined> {
  const asked = askedSinceLastRun(entries);
  const { requester } = session.requests;
  const people = asked.length > 0 ? asked.map(({ person }) => person) : [requester];
  const known: KnownRoles = new Map();
  if (asked.some(({ person, at }) => person.bot !== true && sharedNow() - at < FRESH_MS))
    return undefined;
  for (const person of people) {
    if (person === undefined) continue;
    const may =
      person.bot === true ? isAllowedBot(person, allowedBots) : mayAsk(github, person, who, known);
    if (await may) return undefined;
  }
  return people[0];
}

/**
 * Who approved the plan, and no longer may; `undefined` once something was changed under that approval.
 * @throws {GitHubDenied} if GitHub does not let us look it up
 */
export async function approverGone(
  { session, entries }: TrackedJournal,
  github: PermissionLookup,
  who: RepositorySettings['who'],
  allowedBots: Service['allowedBots'],
): Promise<Person | undefined> {
  if (session.waiting.approval !== 'given') return undefined;
  const verdict = entries.findLast((entry) => entry.type === 'admitted' && entry.approves === true);
  if (verdict?.type !== 'admitted' || session.waiting.approvalUsed) return undefined;
  const received = entryAt(entries, verdict.received);
  const isFresh = sharedNow() - Date.parse(verdict.at) < FRESH_MS;
  if (received?.type !== 'received' || isFresh) return undefined;
  const { sender } = received;
  const may =
    sender.bot === true
      ? isAllowedBot(sender, allowedBots)
      : await mayAsk(github, sender, who, new Map());
  return may ? undefined : sender;
}

/**
 * What was admitted earlier and is not for the model any more, by `seq`: its sender may say nothing today.
 * @throws {GitHubDenied} if GitHub does not let us look it up
 */
export async function withdrawnOf(
  { session, entries }: TrackedJournal,
  github: PermissionLookup,
  who: RepositorySettings['who'],
  allowedBots: Service['allowedBots'],
): Promise<ReadonlySet<number>> {
  const withdrawn = new Set<number>();
  const known: KnownRoles = new Map();
  for (const { seq, admittedAt, sender, intent, ask } of session.requests.unread) {
    // Nobody wrote it, or nobody asks for it.
    if (intent.kind === 'conflict' || !isAskedByPerson(intent)) continue;
    const isAnswer = intent.kind === 'comment' && intent.byAuthor === true && ask === undefined;
    const isFresh = sharedNow() - Date.parse(entryAt(entries, admittedAt)?.at ?? '') < FRESH_MS;
    const may =
      sender.bot === true
        ? isAllowedBot(sender, allowedBots)
        : isAnswer || isFresh || (await mayAsk(github, sender, who, known));
    if (!may) withdrawn.add(seq);
  }
  return withdrawn;
}

/** The latest first. Without authors of issues, who may answer and still request nothing. */
function askedSinceLastRun(
  entries: readonly Entry[],
): readonly { readonly person: Person; readonly at: number }[] {
  const end = entries.findLast(({ type }) => type === 'run_ended')?.seq ?? 0;
  const verdicts = verdictsIn(entries);
  return entries.toReversed().flatMap((entry) => {
    const verdict = verdicts.get(entry.seq);
    if (entry.type !== 'received' || verdict?.type !== 'admitted' || verdict.seq < end) return [];
    const { intent, sender } = entry;
    const onlyAnswers =
      intent.kind === 'comment' && intent.byAuthor === true && verdict.ask === undefined;
    return onlyAnswers || isWithdrawal(intent) || !isAskedByPerson(intent)
      ? []
      : [{ person: sender, at: Date.parse(verdict.at) }];
  });
}

/** What runs in workflows can use the secrets of the repository. */
export const WORKFLOWS_ROLE = 'admin';

interface ApprovalScope {
  readonly github: PermissionLookup;
  readonly tracker: TrackedSession;
  readonly texts: ShownTexts;
  readonly permissions: KnownRoles;
}

/** Who approves what waits for that. A comment or 👍 from before it does not count. */
export class Approvals {
  readonly #parts: ApprovalScope;

  constructor(parts: ApprovalScope) {
    this.#parts = parts;
  }

  async approves(received: ReceivedIntent, ask: Ask | undefined): Promise<boolean> {
    return (await this.#saysYes(received, ask)) && (await this.#may(received));
  }

  /** What an approval is in the journal. */
  verdict(): Pick<EntryOf<'admitted'>, 'approves'> {
    const { proposal } = this.#parts.tracker.session.waiting;
    return { approves: proposal === undefined || proposal.of === 'plan' ? true : proposal.of };
  }

  /** It says yes, and its author may not. */
  async lacksRole(received: ReceivedIntent, ask: Ask | undefined): Promise<boolean> {
    return (await this.#saysYes(received, ask)) && !(await this.#may(received));
  }

  /** A comment or review that says yes, whoever wrote it. */
  async isAttempt(received: ReceivedIntent, ask: Ask | undefined): Promise<boolean> {
    return received.intent.kind !== 'thumbs_up' && (await this.#saysYes(received, ask));
  }

  async #saysYes(received: ReceivedIntent, ask: Ask | undefined): Promise<boolean> {
    const { seq, intent } = received;
    const { proposal, approval } = this.#parts.tracker.session.waiting;
    if (proposal === undefined || seq < proposal.seq) return false;
    if (proposal.of === 'plan' && approval !== 'needed') return false;
    if (intent.kind === 'thumbs_up') return intent.plan === proposal.seq;
    if (!maySayYes(intent, ask !== undefined)) return false;
    return isApproval(await this.#parts.texts.saidIn(received), ask !== undefined);
  }

  async #may({ sender }: ReceivedIntent): Promise<boolean> {
    const { github, tracker, permissions } = this.#parts;
    if (tracker.session.waiting.proposal?.of !== 'workflows') return true;
    return sender.bot !== true && (await mayAsk(github, sender, WORKFLOWS_ROLE, permissions));
  }
}
