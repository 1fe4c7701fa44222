// The rows of the bench, as they are kept, and as a table.
import { z } from 'zod';
import { measuresSchema, type AttemptResult } from '../../src/app/by-hand/evaluation/attempt.ts';

export const Row = measuresSchema.extend({
  type: z.literal('result'),
  at: z.string(),
  task: z.string(),
  language: z.string(),
  /** Which agent worked: `issuewright`, or a peer with its version. */
  harness: z.string(),
  model: z.string(),
  /** Who gave the replies. */
  played: z.string(),
  /** From 1. */
  attempt: z.int(),
  solved: z.boolean(),
  outcome: z.string(),
  /** `null`: this harness does not tell. */
  failedCalls: z.number().nullable(),
  /** The time of commands is part of `harnessSeconds`, because this harness does not tell it. */
  withCommands: z.boolean().optional(),
  size: z.object({ files: z.number(), added: z.number(), removed: z.number() }),
});
export type Row = z.output<typeof Row>;

/** What an agent left, before it is judged. */
export interface Done extends Pick<AttemptResult, 'commit' | 'size'> {
  readonly measures: Omit<AttemptResult['measures'], 'failedCalls'> & Pick<Row, 'failedCalls'>;
  readonly outcome: string;
  readonly model: string;
  readonly withCommands?: boolean;
}

export const isRowOf = (
  row: Row,
  { task, harness, played, attempt }: Pick<Row, 'task' | 'harness' | 'played' | 'attempt'>,
): boolean =>
  row.task === task && row.harness === harness && row.played === played && row.attempt === attempt;

const HEADINGS = [
  'Task',
  'Harness',
  'Played by',
  'Try',
  'Solved',
  'Replies',
  'Calls',
  'Failed',
  'In: uncached',
  'cached',
  'Out',
  'Cost',
  'Minutes',
  'Harness s',
  'Start s',
  'Diff',
] as const;

/** A table in Markdown, and a line of means for each harness that has rows. */
export function tableOf(rows: readonly Row[]): string {
  const harnesses = [...new Set(rows.map(({ harness }) => harness))];
  const means = harnesses.map((harness) => meanOf(rows.filter((row) => row.harness === harness)));
  const cells = [...rows.map(cellsOf), ...means];
  const line = (words: readonly string[]): string => `| ${words.join(' | ')} |`;
  return [line(HEADINGS), line(HEADINGS.map(() => '---')), ...cells.map(line)].join('\n');
}

const number = (count: number): string => Math.round(count).toLocaleString('en');

const cellsOf = (row: Row): string[] => [
  row.task,
  row.harness,
  row.played,
  String(row.attempt),
  row.solved ? 'yes' : `no (${row.outcome})`,
  String(row.replies),
  String(row.calls),
  row.failedCalls === null ? '–' : String(row.failedCalls),
  number(row.input - row.cached),
  number(row.cached),
  number(row.output),
  row.isPartial ? '–' : `$${row.dollars.toFixed(4)}`,
  row.minutes.toFixed(1),
  `${row.harnessSeconds.toFixed(1)}${row.withCommands === true ? ' *' : ''}`,
  row.startSeconds.toFixed(1),
  `${row.size.files} files, +${row.size.added} −${row.size.removed}`,
];

function meanOf(rows: readonly Row[]): string[] {
  const mean = (of: (row: Row) => number): number =>
    rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  const solved = rows.filter((row) => row.solved).length;
  const knowsFailed = rows.every(({ failedCalls }) => failedCalls !== null);
  return [
    `**mean of ${rows.length}**`,
    rows[0]?.harness ?? '',
    '',
    '',
    `${solved} of ${rows.length}`,
    mean(({ replies }) => replies).toFixed(1),
    mean(({ calls }) => calls).toFixed(1),
    knowsFailed ? mean(({ failedCalls }) => failedCalls ?? 0).toFixed(1) : '–',
    number(mean(({ input, cached }) => input - cached)),
    number(mean(({ cached }) => cached)),
    number(mean(({ output }) => output)),
    rows.some(({ isPartial }) => isPartial) ? '–' : `$${mean(({ dollars }) => dollars).toFixed(4)}`,
    mean(({ minutes }) => minutes).toFixed(1),
    mean(({ harnessSeconds }) => harnessSeconds).toFixed(1),
    mean(({ startSeconds }) => startSeconds).toFixed(1),
    '',
  ];
}
