import { asksIn } from './asks.ts';
import { common, eventReader } from './reader.ts';
import type { Arrival, Ask } from '../session/entries/intent.ts';
import { labelledAt, type LabelledIssue } from './label.ts';

/**
 * An issue was opened with labels on it: GitHub tells of each of them in an event of its own too. Or
 * its own words ask for work; a command has nothing to act on yet.
 */
export const issuesOpened = eventReader('issues.opened', (payload) => {
  const { issue } = payload;
  const from = common(payload);
  if (from === undefined || issue.pull_request !== undefined) return undefined;
  const labelled = (issue.labels ?? []).map(({ name }) => labelledAt(issue, name));
  const asks = asksIn(issue.body ?? '').filter((ask) => ask.for === 'work');
  return [...labelled, ...askedBy(issue, asks)].map((said) => ({ ...from, ...said }));
});

function askedBy(
  { number, node_id: id, title, body, created_at: at }: LabelledIssue,
  asks: readonly Ask[],
): Pick<Arrival, 'thread' | 'meaning' | 'intent'>[] {
  if (asks.length === 0) return [];
  const intent = { kind: 'start', label: '', title, body: body ?? '', at, asks } as const;
  return [{ thread: { on: 'issue', number }, meaning: `opened:${id}`, intent }];
}
