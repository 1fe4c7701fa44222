import { KINDS, type Finding } from './invariants.ts';

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
