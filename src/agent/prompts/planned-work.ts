// What an issue is a part of, as the model reads it below its text: its type, its fields, its parent and what else that has.
import type { ParentIssue, ShownIssue } from '../../contracts/shown-text.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import { backgroundTitle, headingLine, quotedLines } from './item.ts';

/** About 1,500 tokens. */
const LONGEST_PARENT = 6000;
const LONGEST_TITLE = 120;
const LONGEST_FIELD = 200;
const LONGEST_FIELDS = 2000;
const MOST_OTHERS = 40;

/** Empty for an issue without any of it. */
export function plannedWork(issue: number, { type, fields = [], parent }: ShownIssue): string[] {
  const known = [...(type === undefined ? [] : [{ name: 'Type', value: type }]), ...fields];
  const lines = known.map(({ name, value }) => brief(`${name}: ${value}`, LONGEST_FIELD));
  const all = cutCharacters(lines.join('\n'), LONGEST_FIELDS, '…');
  return [
    ...(all === '' ? [] : [`## Its type and fields, as people set them\n${quotedLines(all)}`]),
    ...(parent === undefined ? [] : aboutParent(issue, parent)),
  ];
}

function aboutParent(issue: number, { number, title, body, by, ...rest }: ParentIssue): string[] {
  const text = cutCharacters(body.trim(), LONGEST_PARENT);
  return [
    `${backgroundTitle(`Issue #${number}, of which #${issue} is a sub-issue,`, by)}\n${quotedLines(headingLine(title))}`,
    quotedLines(text),
    otherSubIssues(number, rest),
  ];
}

function otherSubIssues(
  parent: number,
  { others, leftOut }: Pick<ParentIssue, 'others' | 'leftOut'>,
): string {
  const shown = others.slice(0, MOST_OTHERS);
  const more = others.length - shown.length + leftOut;
  if (shown.length === 0 && more === 0) return '';
  const list = shown.map(({ number, title, isOpen }) =>
    brief(`#${number} (${isOpen ? 'open' : 'closed'}): ${title}`, LONGEST_TITLE),
  );
  return [
    `## The other sub-issues of #${parent}, in their order (background: work on none of them)`,
    ...(list.length === 0 ? [] : [quotedLines(list.join('\n'))]),
    ...(more === 0 ? [] : [`(Not named: ${more}.)`]),
  ].join('\n');
}

const brief = (text: string, limit: number): string =>
  cutCharacters(headingLine(text).trim(), limit, '…');
