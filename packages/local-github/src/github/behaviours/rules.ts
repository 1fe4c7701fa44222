// Which behaviours of GitHub hold in one world: all, unless a test turns one wrong.
import type { RuleId } from './index.ts';

/** The behaviours that can be turned wrong, one at a time, to see who notices. */
export const FALSIFIABLE = [
  'app-commits-are-signed',
  'base-deleted',
  'body-limit',
  'check-run-buttons',
  'closing-keywords',
  'draft-is-not-merged',
  'labels-ignore-case',
  'locked-conversation',
  'mergeable-unknown-at-first',
  'own-pull-approval',
  'reaction-once',
  'ready-for-review',
  'redelivery-keeps-guid',
  'reopen-of-merged',
  'resolve-thread',
  'review-events',
  'sub-issue-added-last',
  'workflow-files',
] as const satisfies readonly RuleId[];
export type FalsifiableId = (typeof FALSIFIABLE)[number];

export class Rules {
  readonly #falsified = new Set<FalsifiableId>();

  holds(id: FalsifiableId): boolean {
    return !this.#falsified.has(id);
  }

  /** From now on, the local GitHub behaves as if GitHub had no such rule. */
  falsify(id: FalsifiableId): void {
    this.#falsified.add(id);
  }

  restore(): void {
    this.#falsified.clear();
  }
}
