// What the bench prints: one table of medians with their ratios to the floor, and the goals.
import type { Contender, Measures } from './measure.ts';
import type { WakeUp } from './wake-up.ts';

export interface Row {
  readonly contender: Contender;
  readonly turns: number;
  /** Medians over the runs. */
  readonly measures: Measures;
}

interface Column {
  readonly title: string;
  readonly of: (measures: Measures) => number;
  readonly digits: number;
}

const COLUMNS: readonly Column[] = [
  { title: 'wall s', of: ({ wall }) => wall / 1000, digits: 2 },
  { title: 'first request s', of: ({ first }) => first / 1000, digits: 2 },
  { title: 'gap a turn ms', of: ({ gap }) => gap, digits: 1 },
  { title: 'of it journal ms', of: ({ journal }) => journal, digits: 1 },
  { title: 'gap turns 5–15', of: ({ earlyGap }) => earlyGap, digits: 1 },
  { title: 'gap last 11', of: ({ lateGap }) => lateGap, digits: 1 },
  { title: 'CPU s', of: ({ cpu }) => cpu / 1000, digits: 2 },
  { title: 'RSS MB', of: ({ rss }) => rss / 1e6, digits: 0 },
  { title: 'sent MB', of: ({ sent }) => sent / 1e6, digits: 2 },
];

/** Markdown. */
export function table(rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['turns', '', ...COLUMNS.map(({ title }) => title)]),
    line(['---', '---', ...COLUMNS.map(() => '---')]),
    ...rows.map(({ contender, turns, measures }) => {
      const floor = measuresOf(rows, 'floor', turns);
      const cells = COLUMNS.map((column) => cell(column, measures, floor));
      return line([String(turns), contender.name, ...cells]);
    }),
  ].join('\n');
}

function cell({ of, digits }: Column, measures: Measures, floor: Measures): string {
  const value = of(measures).toFixed(digits);
  if (measures === floor || of(floor) === 0) return value;
  return `${value} (${(of(measures) / of(floor)).toFixed(1)}×)`;
}

function measuresOf(rows: readonly Row[], key: Contender['key'], turns: number): Measures {
  const row = rows.find((one) => one.contender.key === key && one.turns === turns);
  if (row === undefined) throw new Error(`${key} was not measured over ${turns} turns`);
  return row.measures;
}

/** Where the time to the first request goes. */
export function wakeUpLine({ whole, parts }: WakeUp): string {
  const took = parts.map((part) => `${part.name} ${part.took.toFixed(0)}`).join(' · ');
  return `Label → first request on a warm service: ${whole.toFixed(0)} ms. Until each entry: ${took}.`;
}

interface Goal {
  readonly words: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: 'ms' | '×';
}

const MOST_OVER_FLOOR_MS = 3;
const MOST_WALLS = 2;
const MOST_GROWTH = 1.3;
const MOST_WAKE_UP_MS = 300;

export function goals(rows: readonly Row[], wakeUp: WakeUp): string {
  const turns = [...new Set(rows.map((row) => row.turns))];
  const all = [
    ...turns.flatMap((count) => gapGoals(rows, count)),
    ...longRunGoals(rows, Math.max(...turns)),
    {
      words: 'first request after the label, warm service',
      value: wakeUp.whole,
      limit: MOST_WAKE_UP_MS,
      unit: 'ms' as const,
    },
  ];
  return ['Goals', ...all.map(goalLine)].join('\n');
}

function gapGoals(rows: readonly Row[], turns: number): Goal[] {
  const floor = measuresOf(rows, 'floor', turns).gap;
  const journaled = measuresOf(rows, 'journaled', turns);
  const overFloor = { limit: floor + MOST_OVER_FLOOR_MS, unit: 'ms' } as const;
  return [
    {
      words: `gap over ${turns} turns, the loop alone, against floor + 3`,
      value: measuresOf(rows, 'loop', turns).gap,
      ...overFloor,
    },
    {
      words: `gap over ${turns} turns, journaled, without the journal's part, against floor + 3`,
      value: journaled.ownGap,
      ...overFloor,
    },
    {
      words: `gap over ${turns} turns, journaled, all of it, against floor + 3`,
      value: journaled.gap,
      ...overFloor,
    },
    {
      words: `gap over ${turns} turns, journaled, all of it, against @openai/agents`,
      value: journaled.gap,
      limit: measuresOf(rows, 'agents', turns).gap,
      unit: 'ms',
    },
  ];
}

function longRunGoals(rows: readonly Row[], turns: number): Goal[] {
  const floor = measuresOf(rows, 'floor', turns);
  const loop = measuresOf(rows, 'loop', turns);
  const journaled = measuresOf(rows, 'journaled', turns);
  const growth = (name: string, { earlyGap, lateGap }: Measures): Goal => ({
    words: `growth of the gap from turn 10 to turn ${turns}, ${name}`,
    value: lateGap / earlyGap,
    limit: MOST_GROWTH,
    unit: '×',
  });
  return [
    {
      words: `wall time of ${turns} turns, journaled, against 2 × the floor's and the journal's`,
      value: journaled.wall,
      limit: MOST_WALLS * floor.wall + journaled.journalSum,
      unit: 'ms',
    },
    growth(
      `journaled (the floor's own: ${(floor.lateGap / floor.earlyGap).toFixed(2)})`,
      journaled,
    ),
    growth('the loop alone', loop),
  ];
}

function goalLine({ words, value, limit, unit }: Goal): string {
  const digits = unit === '×' || value < 100 ? 2 : 0;
  const met = value <= limit ? '    met' : 'NOT met';
  return `  ${met}  ${words}: ${value.toFixed(digits)} ${unit} ≤ ${limit.toFixed(digits)} ${unit}`;
}
