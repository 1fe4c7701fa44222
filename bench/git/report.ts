// What the bench prints of one repository: a table with a column for each engine, beside native git.
import { DEFAULT_MAX_BYTES } from '../../src/workspace/git/engines/choose-engine.ts';
import { median } from '../median.ts';
import type { EngineName } from './engines.ts';
import type { Memory } from './subject.ts';
import type { Reached, ServiceFigures } from './service.ts';
import type { Disk, Round, Rounds } from './workspaces.ts';

export interface Figures {
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
  readonly rounds: Rounds;
  /** Or why there are none. */
  readonly disk: ReadonlyMap<EngineName, Disk | string>;
  readonly service: ReadonlyMap<EngineName, ServiceFigures | string>;
}

interface Goal {
  /** The most that meets it. */
  readonly most: number;
  readonly words: string;
}

interface Row {
  readonly name: string;
  readonly native?: string;
  /** What is compared with the goal, and what is shown; a string says why there is nothing. */
  readonly of: (engine: EngineName) => { value: number; shown: string } | string;
  readonly goal?: Goal;
}

/** Up to this many files, a goal for 28,000 files holds. */
const MOST_OF_GOAL = 30_000;

/** Markdown. */
export function report(figures: Figures): string {
  const { name, files, bytes, rounds } = figures;
  const engines = [...rounds.engines.keys()];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const many = `${files.toLocaleString('en')} files, ${(bytes / 1e6).toFixed(0)} MB`;
  const counts = engines.map((engine) => `${engine} ${rounds.engines.get(engine)?.length ?? 0}`);
  return [
    `### ${name} — ${many}`,
    '',
    `Medians of rounds: native git ${rounds.native.length}, ${counts.join(', ')}.`,
    '',
    line(['', 'native git', ...engines, 'goal']),
    line(['---', '---', ...engines.map(() => '---'), '---']),
    ...rowsOf(figures).map(({ name: row, native = '', of, goal }) =>
      line([row, native, ...engines.map((engine) => cell(of(engine), goal)), goal?.words ?? '']),
    ),
    ...[...rounds.refused].map(([engine, why]) => `\n${engine} refused: ${why}`),
  ].join('\n');
}

function cell(found: { value: number; shown: string } | string, goal: Goal | undefined): string {
  if (typeof found === 'string') return found;
  if (Number.isNaN(found.value)) return '–';
  if (goal === undefined) return found.shown;
  return `${found.shown}${found.value <= goal.most ? '' : ': not met'}`;
}

const ms = (value: number): string => `${Math.round(value).toLocaleString('en')} ms`;
const mb = (value: number): string => `${Math.round(value).toLocaleString('en')} MB`;

const middle = (of: readonly Round[], value: (round: Round) => number | undefined): number =>
  median(of.flatMap((round) => value(round) ?? []));

const most = (limit: number, words: string): Goal => ({ most: limit, words });

function rowsOf(figures: Figures): readonly Row[] {
  const { rounds, files } = figures;
  const upTo28 = (goal: Goal) => (files <= MOST_OF_GOAL ? { goal } : {});
  const memoryOf = (kind: keyof Memory): Row['of'] =>
    function of(engine) {
      const value = middle(rounds.engines.get(engine) ?? [], ({ memory }) => memory?.[kind]);
      return { value, shown: mb(value) };
    };
  return [
    ...timeRows(rounds, upTo28),
    {
      name: 'memory of the process above idle',
      of: memoryOf('above'),
      ...upTo28(most(150, '≤ 150 MB')),
    },
    { name: 'memory of its child processes', of: memoryOf('children') },
    {
      name: '10 sessions at once, disk',
      of: (engine) => diskOf(figures.disk.get(engine)),
      goal: most(1.5, '≤ 1.5 × of one'),
    },
    ...serviceRows(figures, upTo28),
    {
      name: 'refuses larger repositories, unless `WORKSPACE_MAX_BYTES` says otherwise',
      of: (engine) => mb(DEFAULT_MAX_BYTES[engine] / 1e6),
    },
  ];
}

type UpTo28 = (goal: Goal) => { readonly goal?: Goal };

function timeRows({ native, engines }: Rounds, upTo28: UpTo28): readonly Row[] {
  const peer = (value: (round: Round) => number): number => middle(native, value);
  const cold = peer((round) => round.cold);
  const committed = peer((round) => round.committed);
  const bytes = peer((round) => round.pushedBytes);
  const against = (peerValue: number, value: (round: Round) => number | undefined): Row['of'] =>
    function of(engine) {
      const took = middle(engines.get(engine) ?? [], value);
      const ratio = took / peerValue;
      return { value: ratio, shown: `${ms(took)} (${ratio.toFixed(2)}×)` };
    };
  return [
    {
      name: 'cold workspace (native: `git clone --depth 1`)',
      native: ms(cold),
      of: against(cold, (round) => round.cold),
      goal: most(1.15, '≤ 1.15×'),
    },
    {
      name: 'warm workspace, 20 commits later',
      of: against(cold, (round) => round.warm),
      goal: most(0.35, '≤ 0.35× cold native'),
    },
    {
      name: 'changes + commit of one file (native: `git add -A && git commit`)',
      native: ms(committed),
      of: against(committed, (round) => sum(round.looked, round.committed)),
      ...upTo28(most(1, '≤ 1.0×')),
    },
    {
      name: 'publish after the base moved (native: `push.negotiate`)',
      native: `${bytes.toLocaleString('en')} bytes`,
      of: (engine) =>
        bytesOf(
          middle(engines.get(engine) ?? [], (round) => round.pushedBytes),
          bytes,
        ),
      goal: most(2, '≤ 2×'),
    },
    {
      name: 'of that the time',
      native: ms(peer((round) => round.pushed)),
      of: against(
        peer((round) => round.pushed),
        (round) => round.pushed,
      ),
    },
  ];
}

function serviceRows({ service }: Figures, upTo28: UpTo28): readonly Row[] {
  const from = (read: (figures: ServiceFigures) => ReturnType<Row['of']>): Row['of'] =>
    function of(engine) {
      const found = service.get(engine) ?? '–';
      return typeof found === 'string' ? found : read(found);
    };
  return [
    {
      name: 'webhook p99 while the service clones',
      of: from(webhooksOf),
      goal: { most: 20, words: '≤ 20 ms' },
    },
    { name: 'label → first request to the model, cold', of: from(({ cold }) => reachedOf(cold)) },
    {
      name: 'label → first request to the model, warm',
      of: from(({ warm }) => reachedOf(warm)),
      ...upTo28({ most: 1000, words: '≤ 1.0 s' }),
    },
    {
      name: 'the pull request has exactly the change',
      of: from(({ cold, warm }) => exactnessOf([cold, warm])),
    },
  ];
}

const sum = (one: number | undefined, other: number): number => (one ?? Number.NaN) + other;

const bytesOf = (value: number, peer: number) => ({
  value: value / peer,
  shown: `${value.toLocaleString('en')} bytes (${(value / peer).toFixed(2)}×)`,
});

function diskOf(found: Disk | string | undefined) {
  if (found === undefined || typeof found === 'string') return found ?? '–';
  const { one, ten } = found;
  return { value: ten / one, shown: `${mb(one)} → ${mb(ten)} (${(ten / one).toFixed(1)}×)` };
}

function webhooksOf({ webhooks: { count, p99 } }: ServiceFigures) {
  if (p99 === undefined) return `too short: ${count} webhooks`;
  return { value: p99, shown: `${p99.toFixed(1)} ms (${count} webhooks)` };
}

const reachedOf = (reached: Reached) =>
  'told' in reached ? 'refused' : { value: reached.took, shown: ms(reached.took) };

const exactnessOf = (all: readonly Reached[]): string =>
  all.map((one) => ('told' in one ? 'refused' : one.isExact ? 'yes' : 'NO')).join(', ');
