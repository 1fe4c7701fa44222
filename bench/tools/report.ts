// What the bench prints: a table of medians with their ratios to the peer's, and the goals.
import type { Measured } from './measure.ts';
import type { Score } from './questions.ts';
import { QUESTION_ROW } from './searches.ts';

export interface Row {
  readonly name: string;
  readonly measured: Measured;
  /** Set if the time is for this many files; the report then shows the time per file. */
  readonly perFile?: number;
}

/** The contained read took 12 µs and a plain one 4: machines differ, the ratio less so. */
const MOST_OVER_PLAIN_READ = 3;
const MOST_PER_READ_US = 18;
const MOST_PER_WRITE_US = 1000;
const MOST_OVER_PEER = 1.5;
const MOST_HELD_MS = 20;
const LEAST_FOUND = 0.92;
const LEAST_NAMED = 0.75;
const MOST_TOKENS = 1500;
const MOST_QUESTION_MS = 500;

/** Markdown. */
export function table(rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['', 'ours', 'peer', 'ratio', 'first run', 'event loop late', 'of it computing']),
    line(['---', '---', '---', '---', '---', '---', '---']),
    ...rows.map((row) => {
      const { took, peer, first, held, computed } = row.measured;
      const ratio = peer === undefined ? '' : `${(took / peer).toFixed(2)}×`;
      const times = [time(row, took), peer === undefined ? '' : time(row, peer), ratio];
      const loop = [held, computed].map((ms) => `${ms.toFixed(1)} ms`);
      return line([row.name, ...times, time(row, first), ...loop]);
    }),
  ].join('\n');
}

const time = ({ perFile }: Row, ms: number): string =>
  perFile === undefined ? `${ms.toFixed(0)} ms` : `${((ms * 1000) / perFile).toFixed(1)} µs a file`;

export function goals(rows: readonly Row[], scores: readonly Score[]): string {
  const lines = rows.flatMap((row) => [...timeGoals(row), ...questionGoal(row), heldGoal(row)]);
  return ['Goals', ...lines, ...scoreGoals(scores)].join('\n');
}

function timeGoals(row: Row): string[] {
  const { took, peer } = row.measured;
  if (peer !== undefined) {
    const most = row.perFile === undefined ? MOST_OVER_PEER : MOST_OVER_PLAIN_READ;
    const ratio = took / peer;
    const overPeer = [goal(row.name, `${ratio.toFixed(2)}×`, `≤ ${most}×`, ratio <= most)];
    if (row.perFile === undefined) return overPeer;
    const isMet = (took * 1000) / row.perFile <= MOST_PER_READ_US;
    return [...overPeer, goal(row.name, time(row, took), `≤ ${MOST_PER_READ_US} µs`, isMet)];
  }
  if (row.perFile === undefined) return [];
  const each = (took * 1000) / row.perFile;
  return [goal(row.name, time(row, took), `≤ ${MOST_PER_WRITE_US} µs`, each <= MOST_PER_WRITE_US)];
}

function heldGoal({ name, measured: { held } }: Row): string {
  const isMet = held <= MOST_HELD_MS;
  return goal(`${name}: event loop`, `${held.toFixed(1)} ms`, `≤ ${MOST_HELD_MS} ms`, isMet);
}

/** Markdown: of each set the questions with the right file among the first five, and the right function. */
export function scoreTable(scores: readonly Score[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const share = (count: number, of: number): string => `${count} of ${of}`;
  return [
    line(['', 'file', 'of it held out', 'function', 'of it held out', 'tokens', 'at most']),
    line(['---', '---', '---', '---', '---', '---', '---']),
    ...scores.map(({ name, heldOut, ...all }) =>
      line([
        name,
        share(all.found, all.questions),
        share(heldOut.found, heldOut.questions),
        share(all.named, all.questions),
        share(heldOut.named, heldOut.questions),
        all.meanTokens.toFixed(0),
        all.mostTokens.toFixed(0),
      ]),
    ),
    ...scores.flatMap(({ name, missed }) => missed.map((one) => `\nmissed in ${name}: ${one}`)),
  ].join('\n');
}

function scoreGoals(scores: readonly Score[]): string[] {
  const sum = (value: (score: Score) => number): number =>
    scores.reduce((total, score) => total + value(score), 0);
  const asked = sum(({ questions }) => questions);
  const share = (words: string, count: number, least: number): string =>
    goal(words, `${count} of ${asked}`, `≥ ${least * 100} %`, count >= least * asked);
  const most = Math.max(...scores.map(({ mostTokens }) => mostTokens));
  return [
    share(
      'right file among the first five',
      sum(({ found }) => found),
      LEAST_FOUND,
    ),
    share(
      'right function named',
      sum(({ named }) => named),
      LEAST_NAMED,
    ),
    goal('tokens of an answer', most.toFixed(0), `≤ ${MOST_TOKENS}`, most <= MOST_TOKENS),
  ];
}

function questionGoal(row: Row): string[] {
  if (row.name !== QUESTION_ROW) return [];
  const isMet = row.measured.took <= MOST_QUESTION_MS;
  return [goal(row.name, time(row, row.measured.took), `≤ ${MOST_QUESTION_MS} ms`, isMet)];
}

const goal = (words: string, value: string, limit: string, isMet: boolean): string =>
  `  ${isMet ? 'met    ' : 'NOT met'}  ${words}: ${value} (${limit})`;
