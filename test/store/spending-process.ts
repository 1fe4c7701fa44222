// A process whose sessions spend money until a budget makes each of them wait: `URL TASK`. What it says is a JSON array.
import { setImmediate as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { endByLimit } from '../../src/agent/limits.ts';
import type { Budgets } from '../../src/agent/limits.ts';
import { spendingOf } from '../../src/app/run/spending.ts';
import { JournalTracker } from '../../src/app/service/journal-tracker.ts';
import { openStore } from '../../src/store/open.ts';

interface Task {
  readonly sessions: readonly string[];
  readonly budgets: Omit<Budgets, 'run' | 'issue'>;
  readonly costs: readonly number[];
  readonly seed: number;
}

const [url = '', given = ''] = process.argv.slice(2);
const { sessions, budgets, costs, seed } = JSON.parse(given) as Task;
const store = await openStore({
  databaseUrl: url,
  dataDir: '/unused',
  log: pino({ level: 'silent' }),
});
const dollars = { run: undefined, issue: undefined, ...budgets };
const LIMITS = {
  turns: Infinity,
  wallTimeMs: Infinity,
  tokens: undefined,
  faults: 3,
  outputTokens: 1,
  dollars,
};
const USAGE = { input: 1, cached: 0, written: 0, output: 1, reasoning: 0 };

/** What the loop of a run does: look, ask the model, journal the reply. */
async function work(session: string, at: number) {
  const tracker = await JournalTracker.open(store, session, await store.claim(session));
  const spending = spendingOf({ tracker, store }, dollars);
  const costOf = (turn: number): number => costs[(seed * 7 + at * 3 + turn) % costs.length] ?? 0.01;
  let last = 0;
  for (let turn = 0; ; turn += 1) {
    const spent = { turns: 0, tokens: 0, dollars: 0, elapsedMs: 0, spending: await spending() };
    const end = endByLimit(LIMITS, spent);
    if (end !== undefined) return { session, last, end: end.kind };
    for (let waits = costOf(turn) * 30; waits > 0; waits -= 1) await pause();
    last = costOf(turn);
    await tracker.append({
      type: 'compacted',
      upTo: 1,
      summary: null,
      usage: USAGE,
      cost: last,
      durationMs: 1,
    });
  }
}

const outcomes = await Promise.all(sessions.map(work));
await store.close();
process.stdout.write(JSON.stringify(outcomes));
