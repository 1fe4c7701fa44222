import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { measure, middleOf, Stub, type Contender, type Measures } from './measure.ts';
import { goals, table, wakeUpLine, type Row } from './report.ts';
import { measureWakeUp } from './wake-up.ts';

const ROUNDS = [
  { turns: 50, runs: 7 },
  { turns: 200, runs: 5 },
] as const;

/** The peers ask for whole answers, as they do by default: the stub then has less to write. */
const CONTENDERS: readonly Contender[] = [
  { key: 'floor', name: 'bare fetch (the floor)', file: 'floor.ts', form: 'streamed' },
  { key: 'loop', name: 'ours, the loop alone', file: 'ours.ts', form: 'streamed' },
  { key: 'journaled', name: 'ours, journaled', file: 'ours-journaled.ts', form: 'streamed' },
  { key: 'ai', name: 'ai generateText', file: 'ai.ts', form: 'whole' },
  { key: 'agents', name: '@openai/agents', file: 'openai-agents.ts', form: 'whole' },
];

/**
 * The agent loop against its peers: the same task and the same stub, each run a process of its own,
 * all of them in turn. Then the first request of the shipped service.
 */
export async function benchLoop(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const stub = await Stub.start(ROUNDS.map(({ turns }) => turns));
  try {
    const rows: Row[] = [];
    for (const { turns, runs } of ROUNDS) rows.push(...(await round(stub, turns, runs, directory)));
    const wakeUp = await measureWakeUp();
    return [table(rows), wakeUpLine(wakeUp), goals(rows, wakeUp)].join('\n\n');
  } finally {
    await stub.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function round(stub: Stub, turns: number, runs: number, dataDir: string): Promise<Row[]> {
  const measured = new Map<Contender, Measures[]>(CONTENDERS.map((one) => [one, []]));
  for (let run = 0; run < runs; run++) {
    for (const [contender, all] of measured) {
      all.push(await measure(stub, contender, turns, dataDir));
    }
  }
  return [...measured].map(([contender, all]) => ({ contender, turns, measures: middleOf(all) }));
}
