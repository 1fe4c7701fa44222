// `npm run test:faults`: every fault of the table, and the matrix of what was found.
//   npm run test:faults -- --rows 'SIGTERM|PostgreSQL'   rows whose name matches
//   npm run test:faults -- --only 'entry 7$'             tries whose name matches
//   npm run test:faults -- --lanes 2                     stories side by side
//   npm run test:faults -- --long 1000                   instead of that: so many sessions under constant kills
//   npm run test:faults -- --long 1000 --minutes 45      the same, cut off after that time, as by SIGTERM
//   FAULT_TRIES=5 npm run test:faults                    at most so many tries of every row; `all`: every one
import { parseArgs } from 'node:util';
import '../support/github-schemas/check-this-process.ts';
import { survive } from './long-run.ts';
import { matrix, report } from './matrix.ts';
import { ROWS } from './rows/index.ts';
import { runSuite } from './suite.ts';
import { closeAll } from './world.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '.' },
    only: { type: 'string' },
    lanes: { type: 'string', default: '4' },
    long: { type: 'string' },
    minutes: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
  },
});
const tell = (line: string): void => void process.stderr.write(`${line}\n`);

/** Ends the long run before its time. */
const over = new AbortController();

async function longRun(sessions: number): Promise<boolean> {
  const minutes = Number(values.minutes);
  if (Number.isFinite(minutes)) setTimeout(() => over.abort(), minutes * 60_000).unref();
  const seed = Number(values.seed);
  const survived = await survive({ sessions, seed, cut: over.signal, tell });
  process.stdout.write(`${report(survived)}\n`);
  return survived.findings.length === 0;
}

async function suite(): Promise<boolean> {
  const wanted = process.env['FAULT_TRIES'];
  const tallies = await runSuite({
    rows: ROWS.filter(({ fault }) => new RegExp(values.rows).test(fault)),
    tries: wanted === undefined ? undefined : wanted === 'all' ? Infinity : Number(wanted),
    lanes: Number(values.lanes),
    only: values.only === undefined ? undefined : new RegExp(values.only),
    tell,
  });
  process.stdout.write(`${matrix(tallies)}\n`);
  return tallies.every(({ findings }) => findings.length === 0);
}

function end(): void {
  // The long run says what it has found; a second signal ends it too.
  if (values.long !== undefined && !over.signal.aborted) over.abort();
  else void closeAll().finally(() => process.exit(1));
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);

const isRight = values.long === undefined ? await suite() : await longRun(Number(values.long));
process.exitCode = isRight ? 0 : 1;
