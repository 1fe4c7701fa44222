import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import { shownPath } from '../../lib/text/invisible.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import type { ChangeToReview, NewLines, ReviewRemark } from '../../contracts/forge.ts';
import type { FileDiff } from '../../contracts/git.ts';
import { count, lineNumber, repositoryPath } from '../arguments.ts';
import { newLines, rangesOf, shownLines } from '../git/diffs.ts';

const MAX_REMARKS = 30;
const MAX_FAULTS = 5;

const Remark = z.strictObject({
  path: repositoryPath(z.string().min(1)),
  line: lineNumber().describe('As in the diff; the last one of a range'),
  start_line: lineNumber().optional(),
  side: z.enum(['old', 'new']).default('new'),
  severity: z.enum(['high', 'medium', 'low']).optional().describe('Of a fault'),
  body: z.string().trim().min(1).max(4_000).describe('Markdown'),
  suggestion: z
    .string()
    .max(4_000)
    .optional()
    .describe('What the lines become, whole; only if you are certain of the fix'),
});

const schema = z.object({
  summary: z.string().trim().min(1).max(20_000).describe('Markdown; a short first line'),
  comments: z.array(Remark).max(MAX_REMARKS).default([]),
  not_checked: z
    .string()
    .trim()
    .max(2_000)
    .default('')
    .describe('What of the change you did not look at, or could not check'),
  verdict: z
    .enum(['comment', 'request_changes', 'approve'])
    .default('comment')
    .describe('Another one only if you were told that you may'),
  settled: z
    .array(lineNumber())
    .max(100)
    .default([])
    .describe('Looking again: the numbers of your threads that need nothing more'),
});

export const submitReview = defineTool({
  name: 'submit_review',
  aliases: [],
  description:
    'Ends the work with a review of the pull request: a summary, and comments on lines of its diff.',
  arguments: schema,
  argumentAliases: { body: 'summary' },
  safety: 'safe',
  endsWork: true,
  worksOn: ['pull requests of others'],
  isAllowedBeforeApproval: () => true,
  example: {
    summary: 'One fault.',
    comments: [
      { path: 'src/days.js', line: 12, severity: 'medium', body: 'Leap years have 366 days.' },
    ],
  },
  rendering: { arguments: { summary: 'prose' }, output: 'plain' },
  title: ({ comments }) =>
    comments.length === 0
      ? 'Review the pull request'
      : `Review the pull request, with ${count(comments.length, 'comment')}`,
  run: async (
    { summary, comments, not_checked: notChecked, verdict, settled },
    { forge, git, work }: Needs<'forge' | 'git' | 'work'>,
    { startedAt: at },
  ) => {
    const [edit, ...more] = await git.changes();
    if (edit !== undefined) {
      const others = more.length > 0 ? ` and ${count(more.length, 'more file')}` : '';
      throw new TellModel(
        `Nothing was submitted: you changed ${shownPath(edit.path)}${others}, and a review publishes no changes. Call finish and put the review into its summary, or undo them.`,
      );
    }
    const change = await forge.changeToReview();
    const faults = [
      ...comments.flatMap((remark) => faultOf(remark, change)),
      ...settled.flatMap((thread) => threadFault(thread, change)),
    ];
    if (faults.length > 0) throw new TellModel(faultText(faults));
    if (verdict === 'approve' && (comments.length > 0 || notChecked !== ''))
      throw new TellModel(NO_APPROVAL);
    if (verdict === 'request_changes' && comments.every(({ severity }) => severity !== 'high'))
      throw new TellModel(NO_BLOCK);
    const remarks = comments.map(remarkOf).filter((remark) => !wasSaid(remark, change));
    const { number } = work.issue();
    const text = notChecked === '' ? summary : `${summary}\n\n**Not checked:** ${notChecked}`;
    const done = await forge.submitReview({ number, summary: text, verdict, remarks, settled, at });
    const { isPosted, ...review } = done;
    return {
      output: isPosted
        ? `Reviewed: ${review.url}`
        : 'There was nothing to say, so nothing was posted.',
      effects: [
        { type: 'review', ...review },
        { type: 'finish', outcome: 'done', summary },
      ],
      halt: 'finished',
    };
  },
});

const NO_APPROVAL =
  'Nothing was submitted: an approval has no comments, and leaves nothing unchecked. Submit the same as a comment.';
const NO_BLOCK =
  'Nothing was submitted: changes are requested only for a fault of high severity, in a comment on its line. Submit the same as a comment.';

type Comment = z.infer<typeof Remark>;

const SEVERITIES = {
  high: '🔴 **High:** ',
  medium: '🟠 **Medium:** ',
  low: '🟡 **Low:** ',
} as const;

function remarkOf({ path, line, start_line: startLine, side, ...comment }: Comment): ReviewRemark {
  const { severity, body, suggestion } = comment;
  const text = `${severity === undefined ? '' : SEVERITIES[severity]}${body}`;
  return withoutUndefined({
    path,
    line,
    side,
    body: suggestion === undefined ? text : `${text}\n\n${suggestionBlock(suggestion)}`,
    startLine,
  });
}

/** GitHub applies what is in the block as it is, so its fence is longer than any in it. */
function suggestionBlock(lines: string): string {
  const longest = Math.max(2, ...(lines.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const end = lines === '' || lines.endsWith('\n') ? '' : '\n';
  return `${fence}suggestion\n${lines}${end}${fence}`;
}

/** GitHub accepts comments only on lines that the diff shows. */
function faultOf(
  { path, line, start_line: from = line, side, suggestion }: Comment,
  { files, news }: ChangeToReview,
): string[] {
  const file = files.find((one) => one.path === path);
  const name = shownPath(path);
  if (file === undefined) return [`${name}: the pull request does not change this file.`];
  const shown = shownLines(file)[side];
  if (shown.size === 0) return [`${name}: its diff shows no lines of the ${side} side.`];
  const lines = Array.from({ length: Math.max(0, line - from + 1) }, (_, index) => from + index);
  if (lines.some((one) => shown.has(one)) && news !== undefined && !isNew(news, path, side, lines))
    return [`${name}: nothing there is new since your last review: comment only on what is new.`];
  if (lines.length > 0 && lines.every((one) => shown.has(one)))
    return suggestion === undefined ? [] : suggestionFault(suggestion, { file, lines, side, name });
  const given = from === line ? `line ${line}` : `lines ${from} to ${line}`;
  return [
    `${name}: ${given} of the ${side} side is not in the diff, which has ${rangesOf(shown)}.`,
  ];
}

interface SuggestedChange {
  readonly file: FileDiff;
  readonly lines: readonly number[];
  readonly side: Comment['side'];
  readonly name: string;
}

/** Lines that are gone cannot be changed, and a suggestion of what is there already is none. */
function suggestionFault(
  suggestion: string,
  { file, lines, side, name }: SuggestedChange,
): string[] {
  const [first = 0, last = first] = [lines[0], lines.at(-1)];
  const place = `${name}: the suggestion for line ${first === last ? first : `${first} to ${last}`}`;
  if (side === 'old') return [`${place} is on the old side: suggestions are for new lines.`];
  const texts = newLines(file);
  const now = lines.map((line) => texts.get(line) ?? '').join('\n');
  return suggestion.replace(/\n$/, '') === now ? [`${place} is what is there already.`] : [];
}

const isNew = (
  news: NewLines,
  path: string,
  side: Comment['side'],
  lines: readonly number[],
): boolean => lines.some((line) => news.get(path)?.[side].has(line) === true);

/** A thread is settled by a change or by what people say in it, and not because someone wishes it were. */
function threadFault(number: number, { threads, news }: ChangeToReview): string[] {
  const thread = threads.find((one) => one.number === number);
  if (thread === undefined) return [`You have no thread ${number}.`];
  // It was resolved before, or by this call before a crash.
  if (thread.isResolved) return [];
  const isTouched = news?.has(thread.path) === true || thread.replies.length > 0;
  return isTouched
    ? []
    : [`Thread ${number} is not settled: its file is as it was, and nobody replied.`];
}

/** In the same words, in the same file: whoever was told needs no second comment. */
const wasSaid = ({ path, body }: ReviewRemark, { threads }: ChangeToReview): boolean =>
  threads.some((one) => one.path === path && comparableWords(one.body) === comparableWords(body));

const comparableWords = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const faultText = (faults: readonly string[]): string =>
  [
    'Nothing was submitted. Comments can only be on lines of the diff, and suggestions only for new ones:',
    ...faults.slice(0, MAX_FAULTS).map((fault) => `- ${fault}`),
    ...(faults.length > MAX_FAULTS ? [`- … and ${faults.length - MAX_FAULTS} more`] : []),
    'Put what is about other lines into the summary.',
  ].join('\n');
