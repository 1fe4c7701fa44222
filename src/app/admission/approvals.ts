import type { Ask } from '../../contracts/intent.ts';
import type { PermissionLookup } from '../../github/repository.ts';
import { isApproval } from '../../session/said/approval.ts';
import { maySayYes } from '../../session/said/asks.ts';
import type { EntryOf } from '../../session/entry.ts';
import type { ReceivedIntent } from '../../session/session.ts';
import type { TrackedSession } from '../service/journal-tracker.ts';
import type { ShownTexts } from './shown-texts.ts';
import { mayAsk, type KnownRoles } from './who-may.ts';

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
