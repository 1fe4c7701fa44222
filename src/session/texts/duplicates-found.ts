// What people and the model are told of work that seems to solve an issue already: numbers, hashes and names of branches,
// never the words of others.
import type { Duplicate } from '../../contracts/related-work.ts';
import { isClear } from '../duplicates.ts';
import { sections, code, type Body } from './markdown.ts';
import { shortSha } from './format.ts';

const SAYS = {
  closes: 'says that it closes this issue',
  unproven: 'says that it closes this issue, but anyone could have opened it',
  mentions: 'mentions this issue',
  similar: 'has a similar title',
} as const;

/** As one sentence without a full stop. */
function words(one: Duplicate): string {
  switch (one.kind) {
    case 'pull_request':
      return `#${one.number} (${one.state === 'open' ? 'an open' : 'a merged'} pull request) ${SAYS[one.why]}`;
    case 'branch':
      return `The branch ${code(one.name)} has the number of this issue in its name`;
    case 'commit':
      return `The commit ${shortSha(one.sha)} on the default branch ${SAYS[one.why]}`;
    default:
      return one satisfies never;
  }
}

/** A list in Markdown. */
export const duplicateLines = (found: readonly Duplicate[]): string =>
  found.map((one) => `- ${words(one)}.`).join('\n');

/** The question that the journal has, and that the model is reminded of. */
export const duplicatesQuestion = (found: readonly Duplicate[]): string =>
  `This issue seems to be solved already. ${found
    .filter(isClear)
    .map((one) => `${words(one)}.`)
    .join(' ')} Should I work on it anyway?`;

/** The comment that asks it, without its opening. */
export const duplicatesAsked = (found: readonly Duplicate[]): Body =>
  sections(
    duplicateLines(found.filter(isClear)),
    'Reply **continue** to go ahead anyway, or say what is missing. Drop it with `/issuewright stop`.',
  );

/** For the status comment. */
export const duplicatesFound = (found: readonly Duplicate[]): string =>
  found.length === 0 ? '' : `**Related**\n${duplicateLines(found)}`;
