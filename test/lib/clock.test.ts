import { globSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { followClock, sharedNow } from '../../src/lib/clock.ts';
import { cases } from '../support/cases.ts';

const DATABASE = Date.parse('2030-01-01T12:00:00Z');
let wall: number;
let counted: number;
beforeEach(() => {
  wall = DATABASE;
  counted = 5_000;
  jest.spyOn(Date, 'now').mockImplementation(() => wall);
  jest.spyOn(performance, 'now').mockImplementation(() => counted);
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('the time that processes share', () => {
  it('is that of the machine until a database said the time', () => {
    expect(sharedNow()).toBe(wall);
  });

  it('continues evenly, however the clock of the machine jumps', async () => {
    await followClock(() => Promise.resolve(DATABASE));
    const begun = counted;
    fc.assert(
      fc.property(fc.integer({ min: -86_400_000, max: 86_400_000 }), fc.nat(60_000), (jump, ms) => {
        wall += jump;
        counted += ms;
        expect(sharedNow()).toBe(DATABASE + counted - begun);
      }),
      { numRuns: cases(1000, 10_000) },
    );
  });

  it('follows the database after the machine was suspended, when nothing was counted', async () => {
    await followClock(() => Promise.resolve(DATABASE));
    await followClock(() => Promise.resolve(DATABASE + 7_200_000));
    expect(sharedNow()).toBe(DATABASE + 7_200_000);
  });

  it('does not follow an answer that took long', async () => {
    await followClock(() => Promise.resolve(DATABASE));
    await followClock(() => {
      counted += 30_000;
      return Promise.resolve(DATABASE + 1);
    });
    expect(sharedNow()).toBe(DATABASE + 30_000);
  });
});

/** What reads the clock of the machine, and why. */
const WALL_CLOCK: Readonly<Record<string, string>> = {
  'lib/clock.ts': 'a process without a database has no other',
  'lib/errors.ts': 'an answer of GitHub without a date',
  'models/wire/server-error.ts': 'an answer of a model server without a date',
  'command-line.ts': 'the time is for the person at this machine',
  'commands/': 'the time is for the person at this machine',
  'web/pages/script.ts': 'it runs in a browser',
  'telemetry/instruments.ts': 'GitHub names when its limit is reset',
  'packages/sandbox/src/watch/disk-watch.ts': 'compared with the times of files',
  'workspace/dependencies/dependency-cache.ts': 'compared with the times of files',
  'workspace/images/image-store.ts': 'compared with the times of files',
  'workspace/git/engines/native/cached-repository.ts': 'compared with the times of files',
  'workspace/git/engines/native/cache-room.ts': 'compared with the times of files',
  'store/backup.ts': 'the times of files in an archive',
  'store/database/migrations.ts': 'when a version was installed, for people',
};

it('is the only time that the service reads, but for what is listed', () => {
  const files = globSync('{src,packages/sandbox/src}/**/*.ts');
  const readers = files
    .filter((file) => /\bDate\.now\b|\bnew Date\(\)/.test(readFileSync(file, 'utf8')))
    .map((file) => file.replace(/^src\//, ''));
  const isListed = (file: string) =>
    Object.keys(WALL_CLOCK).some(
      (name) => file === name || (name.endsWith('/') && file.startsWith(name)),
    );
  expect(readers.filter((file) => !isListed(file))).toEqual([]);
});
