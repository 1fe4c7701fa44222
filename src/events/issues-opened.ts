import { namesApp } from '../session/asks.ts';
import { common, eventReader } from './reader.ts';
import type { Arrival } from '../session/entries/intent.ts';
import { labelledAt, type LabelledIssue } from './label.ts';

/**
 * An issue was opened with labels on it: GitHub tells of each of them in an event of its own too. Or
 * its own words may ask for work.
 */
export const issuesOpened = eventReader('issues.opened', (payload) => {
  const { issue } = payload;
  const from = common(payload);
  if (from === undefined || issue.pull_request !== undefined) return undefined;
  const labelled = (issue.labels ?? []).map(({ name }) => labelledAt(issue, name));
  return [...labelled, ...askedBy(issue)].map((said) => ({ ...from, ...said }));
});

function askedBy({
  number,
  node_id: id,
  title,
  body,
  created_at: at,
}: LabelledIssue): Pick<Arrival, 'thread' | 'meaning' | 'intent'>[] {
  if (body === null || !namesApp(body, undefined)) return [];
  const intent = { kind: 'start', label: '', title, body, at, addressed: true } as const;
  return [{ thread: { on: 'issue', number }, meaning: `opened:${id}`, intent }];
}
