import { KINDS, type Finding } from './invariants.ts';
import type { Spread, Survived } from './long-run.ts';

/** What came of the tries of a row. */
export interface Tally {
  readonly fault: string;
  readonly tries: number;
  /** Tries that were left out, or why the row was skipped. */
  readonly note: string;
  /** By the name of the try. */
  readonly findings: readonly (Finding & { readonly attempt: string })[];
  readonly seconds: number;
}

/** The table, and below it every finding with what plays it again. */
export function matrix(tallies: readonly Tally[]): string {
  const head = ['fault', 'tries', ...KINDS, 'seconds', ''];
  const rows = [...tallies.map(rowOf), totalOf(tallies)];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const findings = tallies.flatMap(({ fault, findings: all }) =>
    all.map(({ attempt, kind, words }) => `- ${fault}, ${attempt}: ${kind}: ${words}`),
  );
  return [...lines, '', ...findings].join('\n');
}

const rowOf = ({ fault, tries, findings, seconds, note }: Tally): string[] => [
  fault,
  `${tries}`,
  ...KINDS.map((kind) => `${findings.filter((one) => one.kind === kind).length}`),
  seconds.toFixed(0),
  note,
];

function totalOf(tallies: readonly Tally[]): string[] {
  const sum = (of: (one: Tally) => number) => tallies.reduce((total, one) => total + of(one), 0);
  const all = { fault: '**all**', findings: tallies.flatMap(({ findings }) => findings), note: '' };
  return rowOf({ ...all, tries: sum((one) => one.tries), seconds: sum((one) => one.seconds) });
}

/** The figures of the long run, and below them every finding. */
export function report(run: Survived): string {
  const { findings, starts, toReady, load } = run;
  const count = (kind: string) => findings.filter((one) => one.kind === kind).length;
  const spread = ({ median, longest }: Spread) => `${median} s / ${longest} s`;
  const rows: readonly (readonly [string, string | number])[] = [
    ['sessions wanted / opened / ended', `${run.sessions} / ${run.opened} / ${run.ended}`],
    [`of the ${run.lookedAt} looked at: ${KINDS.join(' / ')}`, KINDS.map(count).join(' / ')],
    ['seconds', run.seconds],
    ['processes killed / PostgreSQL restarted', `${run.kills} / ${run.databaseRestarts}`],
    ['label → pull request ready, median / longest', spread(toReady)],
    ['start of a process, median / longest', spread(starts)],
    ['starts that failed', run.failedStarts],
    [
      'requests to the model / what so many sessions need without faults',
      `${run.replies} / ${run.opened * run.repliesOfOne}`,
    ],
    ['requests to GitHub', run.requestsToGitHub],
    ['memory of the runner, with GitHub and the model server in it', `${run.memory} MB`],
    [
      'load of the machine at the beginning / at the end',
      load.map((one) => one.toFixed(1)).join(' / '),
    ],
  ];
  const lines = [['', ''], ['---', '---'], ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [...lines, '', ...findings.map(({ kind, words }) => `- ${kind}: ${words}`)].join('\n');
}
