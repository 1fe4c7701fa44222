import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { PART_NAMES, type Costs, type PartName } from './costs.ts';
import { benchService } from './service.ts';
import { playSession, WINDOW } from './session.ts';

/** The lengths of the sessions; the first once more at the end, because code gets faster while it runs. */
const LENGTHS = [50, 500, 3_000];
const WARM_UP = 120;

/**
 * What one whole turn costs in sessions of different lengths, over the last turns of each: its processor time in this
 * process, and what it reads from PostgreSQL.
 */
export async function benchTurns(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const service = await benchService(path.join(directory, 'data'));
  try {
    const playTo = async (turns: number, measuredAt: readonly number[]) => {
      const files = await mkdtemp(path.join(directory, 'files-'));
      const begun = performance.now();
      const played = await playSession(service, { turns, measuredAt, directory: files });
      say(`${turns} turns: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
      return played;
    };
    const play = (turns: number): Promise<Costs> => playTo(turns, [turns]).then(only);
    await play(WARM_UP);
    const load = loadavg()[0] ?? Number.NaN;
    const first = LENGTHS[0] ?? Number.NaN;
    const before = await play(first);
    const long = await playTo(Math.max(...LENGTHS), LENGTHS);
    const columns = [
      [`${first}, before`, before],
      ...long,
      [`${first}, after`, await play(first)],
    ] as const;
    return report(columns, load);
  } finally {
    await service.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** As the table comes at the end only: a process that is killed before has said how far it was. */
const say = (words: string): void => void process.stderr.write(`${words}\n`);

function only(measured: ReadonlyMap<string, Costs>): Costs {
  const [costs] = measured.values();
  if (costs === undefined) throw new Error('nothing was measured');
  return costs;
}

function report(columns: readonly (readonly [string, Costs])[], load: number): string {
  const base = columns.find(([name]) => name === String(LENGTHS[0]))?.[1];
  const row = (words: string, of: (costs: Costs) => number, digits: number): string => {
    const least = base === undefined ? Number.NaN : of(base);
    const cells = columns.map(
      ([, costs]) => `${of(costs).toFixed(digits)} (${(of(costs) / least).toFixed(2)}×)`,
    );
    return `| ${[words, ...cells].join(' | ')} |`;
  };
  const parts = Object.entries(PART_NAMES) as [PartName, string][];
  return [
    `Means of the last ${WINDOW} turns; load of the machine before: ${load.toFixed(1)}.`,
    '',
    `|  | ${columns.map(([name]) => name).join(' | ')} |`,
    `| --- |${columns.map(() => ' --- |').join('')}`,
    row('a whole turn, CPU ms', ({ turn }) => turn.cpu, 2),
    row('a whole turn, kB read', ({ turn }) => turn.bytes / 1000, 1),
    ...parts.flatMap(([part, words]) => [
      row(`${words}, CPU ms`, (costs) => costs[part].cpu, 2),
      row(`${words}, kB read`, (costs) => costs[part].bytes / 1000, 1),
    ]),
  ].join('\n');
}
