// `npm run test:faults`: every fault of the table, and the matrix of what was found.
//   npm run test:faults -- --rows 'SIGTERM|PostgreSQL'   rows whose name matches
//   npm run test:faults -- --only 'entry 7$'             tries whose name matches
//   npm run test:faults -- --lanes 2                     stories side by side
//   FAULT_TRIES=5 npm run test:faults                    at most so many tries of a row; `all`: every one
import { parseArgs } from 'node:util';
import { matrix } from './matrix.ts';
import { ROWS } from './rows/index.ts';
import { runSuite } from './suite.ts';

const DEFAULT_TRIES = 30;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '.' },
    only: { type: 'string' },
    lanes: { type: 'string', default: '4' },
  },
});
const wanted = process.env['FAULT_TRIES'] ?? `${DEFAULT_TRIES}`;
const tallies = await runSuite({
  rows: ROWS.filter(({ fault }) => new RegExp(values.rows).test(fault)),
  tries: wanted === 'all' ? Infinity : Number(wanted),
  lanes: Number(values.lanes),
  only: values.only === undefined ? undefined : new RegExp(values.only),
  tell: (line) => void process.stderr.write(`${line}\n`),
});
process.stdout.write(`${matrix(tallies)}\n`);
process.exitCode = tallies.every(({ findings }) => findings.length === 0) ? 0 : 1;
