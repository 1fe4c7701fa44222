// The shipped program, in set-ups that are broken on purpose.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GOOD } from '../config/good.ts';
import { unlessItFails } from '../../src/lib/errors.ts';
import { isRoot } from '../support/other-user.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';
import { BROKEN_SETUPS, type BrokenSetup } from './broken-setups.ts';
import { FAULTS } from './doctor-faults.ts';
import { OF_OTHER_MACHINES } from './doctor-machine-faults.ts';

let database: TestDatabase;
beforeAll(async () => void (database = await createDatabase('empty')));
afterAll(() => database.drop());

const isNamedIn =
  ({ setting, fault, cure }: BrokenSetup) =>
  (line: string): boolean =>
    line.includes(setting) && fault.test(line) && cure.test(line);

/** What the start says, up to the line that names the fault; all, if it ends without that. */
async function linesOf(setup: BrokenSetup): Promise<readonly string[]> {
  const cwd = temporaryDirectory();
  const { settings, role = 'start', undo } = await setup.break(cwd, database.url);
  const well = { PATH: process.env['PATH'], ...GOOD, DATABASE_URL: database.url };
  const program = spawn(process.execPath, [resolve('bin/issuewright.js'), role], {
    cwd,
    env: { ...well, PORT: '0', PAGES_PORT: '0', ...settings },
    // A group of its own: it may have begun again with another heap.
    detached: true,
  });
  let text = '';
  const hear = (chunk: Buffer): void => {
    text += chunk.toString();
    const { pid } = program;
    // It may have ended meanwhile.
    if (text.split('\n').some(isNamedIn(setup)) && pid !== undefined)
      unlessItFails(() => process.kill(-pid, 'SIGKILL'));
  };
  program.stdout.on('data', hear);
  program.stderr.on('data', hear);
  await new Promise((ended) => program.once('close', ended));
  undo?.();
  return text.split('\n');
}

const isBroken = ({ isNotForRoot }: BrokenSetup): boolean => !(isNotForRoot === true && isRoot);

describe('the start names setting, fault and cure in one line for', () => {
  it.each(BROKEN_SETUPS.filter(isBroken))('$what ($setting)', async (setup) => {
    const lines = await linesOf(setup);
    expect([lines.find(isNamedIn(setup)), lines]).toEqual([expect.any(String), lines]);
  });

  it('more than sixty set-ups, besides those that the doctor examines', () => {
    const setups = BROKEN_SETUPS.map(({ what, setting }) => `${what} ${setting}`);
    expect(new Set(setups).size).toBe(setups.length);
    expect(setups.length).toBeGreaterThan(60);
    expect([...FAULTS, ...OF_OTHER_MACHINES].length).toBeGreaterThan(35);
  });
});
