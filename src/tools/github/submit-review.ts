import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import { shownPath } from '../../lib/text/invisible.ts';
import type { FileDiff } from '../../contracts/git.ts';
import { count, lineNumber, repositoryPath } from '../arguments.ts';
import { rangesOf, shownLines } from '../git/diff-text.ts';

const MAX_REMARKS = 30;
const MAX_FAULTS = 5;

const Remark = z.strictObject({
  path: repositoryPath(z.string().min(1)),
  line: lineNumber().describe('As in the diff; the last one of a range'),
  start_line: lineNumber().optional(),
  side: z.enum(['old', 'new']).default('new'),
  body: z.string().trim().min(1).max(4_000).describe('Markdown'),
});

const schema = z.object({
  summary: z.string().trim().min(1).max(20_000).describe('Markdown; a short first line'),
  comments: z.array(Remark).max(MAX_REMARKS).default([]),
});

export const submitReview = defineTool({
  name: 'submit_review',
  aliases: [],
  description:
    'Ends the work with a review of the pull request: a summary, and comments on lines of its diff. It approves nothing.',
  arguments: schema,
  argumentAliases: { body: 'summary' },
  safety: 'safe',
  endsWork: true,
  worksOn: ['pull requests of others'],
  isAllowedBeforeApproval: () => true,
  example: {
    summary: 'Two questions.',
    comments: [{ path: 'src/days.js', line: 12, body: 'What about leap years?' }],
  },
  rendering: { arguments: { summary: 'prose' }, output: 'plain' },
  title: ({ comments }) =>
    comments.length === 0
      ? 'Review the pull request'
      : `Review the pull request, with ${count(comments.length, 'comment')}`,
  run: async (
    { summary, comments },
    { forge, git, work }: Needs<'forge' | 'git' | 'work'>,
    { startedAt: at },
  ) => {
    const [change, ...more] = await git.changes();
    if (change !== undefined) throw new TellModel(unpublished(change.path, more.length));
    const { files } = await forge.branchChange();
    const faults = comments.flatMap((remark) => faultOf(remark, files));
    if (faults.length > 0) throw new TellModel(faultText(faults));
    const remarks = comments.map(({ start_line: startLine, ...remark }) => ({
      ...remark,
      ...(startLine === undefined ? {} : { startLine }),
    }));
    const { number } = work.issue();
    const { url } = await forge.submitReview({ number, summary, remarks, at });
    return {
      output: `Reviewed: ${url}`,
      effects: [
        { type: 'review', url, comments: remarks.length },
        { type: 'finish', outcome: 'done', summary },
      ],
      halt: 'finished',
    };
  },
});

const unpublished = (path: string, more: number): string =>
  `Nothing was submitted: you changed ${shownPath(path)}${more > 0 ? ` and ${count(more, 'more file')}` : ''}, and a review publishes no changes. Call finish and put the review into its summary, or undo them.`;

/** GitHub accepts comments only on lines that the diff shows. */
function faultOf(
  { path, line, start_line: from = line, side }: z.infer<typeof Remark>,
  files: readonly FileDiff[],
): string[] {
  const file = files.find((one) => one.path === path);
  const name = shownPath(path);
  if (file === undefined) return [`${name}: the pull request does not change this file.`];
  const shown = shownLines(file)[side];
  if (shown.size === 0) return [`${name}: its diff shows no lines of the ${side} side.`];
  const lines = Array.from({ length: Math.max(0, line - from + 1) }, (_, index) => from + index);
  if (lines.length > 0 && lines.every((one) => shown.has(one))) return [];
  const given = from === line ? `line ${line}` : `lines ${from} to ${line}`;
  return [
    `${name}: ${given} of the ${side} side is not in the diff, which has ${rangesOf(shown)}.`,
  ];
}

const faultText = (faults: readonly string[]): string =>
  [
    'Nothing was submitted. Comments can only be on lines of the diff:',
    ...faults.slice(0, MAX_FAULTS).map((fault) => `- ${fault}`),
    ...(faults.length > MAX_FAULTS ? [`- … and ${faults.length - MAX_FAULTS} more`] : []),
    'Put what is about other lines into the summary.',
  ].join('\n');
