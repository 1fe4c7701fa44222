import { withoutInvisible } from '../lib/invisible.ts';
import { cutCharacters, quoteLines } from '../lib/text.ts';
import type { LineComment } from './entries/entry.ts';
import { questionNote } from './question-note.ts';
import type { Admitted, Session } from './session.ts';

const VERDICTS = {
  approved: 'approved the pull request',
  changes_requested: 'requested changes',
  commented: 'reviewed the pull request',
} as const;

const asked = (issue: number, login: string, title: string): string =>
  `# Issue #${issue}, which @${login} asked to be worked on\n${quoted(oneLine(title))}`;

const lineComment = ({ path, line, body }: LineComment): string =>
  `- ${path}${line === null ? '' : `, line ${line}`}:\n${quoted(body)}`;

function heading(issue: number, item: Admitted): string {
  const { intent, sender } = item;
  if (item.approves) return `# @${sender.login} agrees to your plan: carry it out`;
  switch (intent.kind) {
    case 'start':
      return asked(issue, sender.login, intent.title);
    case 'comment':
      if (item.ask === 'retry') return `# @${sender.login} asks to try again`;
      return `# Comment by @${sender.login} on the ${intent.on === 'issue' ? 'issue' : 'pull request'}`;
    case 'review':
      return `# Review: @${sender.login} ${VERDICTS[intent.verdict]}`;
    case 'thumbs_up':
    case 'issue_closed':
    case 'issue_reopened':
    case 'issue_gone':
    case 'pull_request_closed':
    case 'pull_request_reopened':
    case 'unlabeled':
      return '';
    default:
      return intent satisfies never;
  }
}

const brief = (issue: number, { issueText: about, sender }: Admitted): string[] =>
  about === undefined ? [] : [asked(issue, sender.login, about.title), quoted(about.body)];

const earlier = ({ earlier: comments }: Admitted): string[] =>
  comments.flatMap(({ author, body }) => [
    `# Comment by @${author} on the issue, from before`,
    quoted(earlierText(body)),
  ]);

const LONGEST_EARLIER = 10_000;

/** What the model reads of one. */
export const earlierText = (body: string): string => cutCharacters(body.trim(), LONGEST_EARLIER);

/** Quoted, no line of a text can pass for a heading of ours that names somebody else. */
const quoted = (text: string): string => (text.trim() === '' ? '' : quoteLines(text.trim()));

const oneLine = (text: string): string => withoutInvisible(text).replaceAll(/\s+/g, ' ');

type Told = Pick<Session, 'thread' | 'requests' | 'work' | 'waiting'>;

const MOVED =
  '(The workspace is a fresh clone now: files may differ from what you read, and changes that you had not committed are gone. Read again before you edit.)';

/**
 * What people said, as the model reads it, and what of its question they leave open. The text is
 * journaled, so its form may change at any time.
 */
export function inputText({
  thread: { issue },
  requests: { unread: items },
  work: { workspaceReplaced },
  waiting: { question },
}: Told): string {
  const said = items.map((item) => {
    const body = quoted(item.intent.kind === 'start' ? (item.issueText?.body ?? '') : item.shown);
    const own = [heading(issue, item), body, ...item.lineComments.map(lineComment)];
    return item.intent.kind === 'start'
      ? [...own, ...earlier(item)]
      : [...brief(issue, item), ...earlier(item), ...own];
  });
  const asked = questionNote(question, items.length > 0);
  return [...said.flat(), asked, workspaceReplaced ? MOVED : '']
    .filter((part) => part !== '')
    .join('\n\n');
}
