import type { Meaning } from './reader.ts';

/** What the events about a label have in common. */
export interface LabelledIssue {
  readonly number: number;
  readonly node_id: string;
  readonly title: string;
  readonly body: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** GitHub writes the labels of a new issue a moment after the issue, and counts in seconds. */
const OPENING_MS = 5_000;

/** The two events that tell of one label mean the same. */
export function labelledAt(issue: LabelledIssue, label: string): Meaning {
  const { number, node_id: id, title, body, created_at: opened, updated_at: at } = issue;
  const sinceOpening = Date.parse(at) - Date.parse(opened);
  return {
    thread: { on: 'issue', number },
    meaning: `labeled:${id}:${label}:${at}`,
    intent: {
      kind: 'start',
      label,
      title,
      body: body ?? '',
      at,
      ...(sinceOpening <= OPENING_MS ? { atOpening: true } : {}),
    },
  };
}
