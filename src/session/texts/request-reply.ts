// The reply to those who asked for something, where they asked. Markdown.
import type { RequestReply } from '../session.ts';
import { sections, unquoted, type Body } from './body.ts';
import { shortSha } from './format.ts';
import { isOneLine, mention, oneLine } from './markdown.ts';
import { unpushedMerge, unresolvedConflicts } from './merges.ts';
import { afterFailure, stillUsedUp } from './next-step.ts';

/** One line if that is enough. */
export const requestReply = (reply: RequestReply): Body =>
  sections(answerOf(reply), unpushedMerge(reply.unpushed));

function answerOf(reply: RequestReply): Body {
  const { words, finish, end, logins } = reply;
  const to = logins.map(mention).join(' ');
  if (words !== undefined) return said(to, '', words);
  if (end.kind === 'limit' && end.isStill === true) return [`${to} ${stillUsedUp(end)}`];
  if ('reason' in end) return [`${to} ${endedWith(end)} ${afterFailure(end)}`];
  const summary = finish?.summary ?? '';
  if (finish?.outcome === 'cannot')
    return said(
      to,
      `I couldn't do this${summary === '' ? ', and the model gave no reason' : ''}`,
      summary,
    );
  // Whatever was done before, nothing was done for this.
  if (finish !== undefined && (finish.outcome === 'nothing_to_do' || reply.commits.length === 0))
    return said(
      to,
      summary === '' ? "I didn't change anything, and the model gave no reason" : '',
      summary,
    );
  return said(to, done(reply), summary);
}

function endedWith(end: Extract<RequestReply['end'], { readonly reason: string }>): string {
  const opening =
    end.kind === 'limit' ? (unresolvedConflicts(end) ?? 'I stopped') : "I couldn't continue";
  return `${opening}: ${oneLine(end.reason)}`;
}

const MOST_COMMITS = 3;

/** GitHub makes links of a commit's name and of a pull request's number. */
function done({ commits, pullRequest, finish }: RequestReply): string {
  if (commits.length === 0) return 'There was nothing to change';
  const what = finish?.outcome === 'partial' ? 'Partly done' : 'Done';
  if (pullRequest !== undefined) return `${what} in #${pullRequest}`;
  const last = commits.slice(-MOST_COMMITS).map(shortSha).join(', ');
  const left = commits.length - MOST_COMMITS;
  return left > 0 ? `${what} in ${last} and ${left} before` : `${what} in ${last}`;
}

/** The first letter of a word in small letters, which is neither code nor a name such as `iOS`. */
const SENTENCE = /^\p{Ll}(?=\p{Ll}*[ ,])/u;

/** The model's words, which may be Markdown, are apart from ours if they are more than a line. */
function said(to: string, opening: string, words: string): Body {
  if (words === '') return [`${to} ${opening}.`];
  const line = oneLine(words).replace(SENTENCE, (letter) => letter.toUpperCase());
  if (isOneLine(words)) return [`${to} ${opening === '' ? '' : `${opening}: `}${line}`];
  return sections(opening === '' ? to : `${to} ${opening}.`, unquoted(words));
}
