import { visible } from '../lib/sanitise.ts';
import type { LineComment } from './entry.ts';
import type { Admitted } from './session.ts';

const VERDICTS = {
  approved: 'approved the pull request',
  changes_requested: 'requested changes',
  commented: 'reviewed the pull request',
} as const;

const lineComment = ({ path, line, body }: LineComment): string =>
  `- ${path}${line === null ? '' : `, line ${line}`}:\n${quoted(body)}`;

function heading(issue: number, item: Admitted): string {
  const { intent, sender } = item;
  switch (intent.kind) {
    case 'start':
      return `# Issue #${issue}, which @${sender.login} asked to be worked on\n${quoted(oneLine(intent.title))}`;
    case 'comment':
      return `# Comment by @${sender.login} on the ${intent.on === 'issue' ? 'issue' : 'pull request'}`;
    case 'review':
      return `# Review: @${sender.login} ${VERDICTS[intent.verdict]}`;
    case 'issue_closed':
    case 'pull_request_closed':
    case 'pull_request_reopened':
      return '';
    default:
      return intent satisfies never;
  }
}

/**
 * Quoted, no line of a text can pass for a heading of ours that names somebody else. The model reads
 * what people see: who adds a label to a stranger's issue knows nothing of what is hidden in it.
 */
function quoted(text: string): string {
  const shown = visible(text).trim();
  return shown === '' ? '' : shown.replaceAll(/^/gm, '> ');
}

const oneLine = (text: string): string => visible(text).replaceAll(/\s+/g, ' ');

const MOVED =
  '(The workspace is a fresh clone now: files may differ from what you read, and changes that you had not committed are gone. Read again before you edit.)';

/**
 * What people said, as the model reads it. `moved`: the workspace is another one than before. The
 * text is journaled, so its form may change at any time.
 */
export function inputText(issue: number, items: readonly Admitted[], moved = false): string {
  const said = items.map((item) => {
    const body = 'body' in item.intent ? quoted(item.intent.body) : '';
    return [heading(issue, item), body, ...item.lineComments.map(lineComment)];
  });
  return [...said.flat(), moved ? MOVED : ''].filter((part) => part !== '').join('\n\n');
}
