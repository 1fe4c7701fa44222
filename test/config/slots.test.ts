import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { faultsOf, GOOD } from './good.ts';

const slotsOf = (environment: Record<string, string>) =>
  readConfig({ ...GOOD, ...environment }).slots;

describe('how many sessions are worked on at once', () => {
  it('is four in each process, and unlimited in total', () => {
    expect(slotsOf({})).toEqual({ ofProcess: 4, limits: {} });
  });

  it('is for the operator to say, for the process and for all processes together', () => {
    const slots = slotsOf({
      CONCURRENCY: '20',
      CONCURRENCY_TOTAL: '50',
      CONCURRENCY_INSTALLATION: '10',
      CONCURRENCY_REPOSITORY: '2',
    });
    expect(slots).toEqual({
      ofProcess: 20,
      limits: {
        service: 50,
        installation: 10,
        repository: 2,
      },
    });
  });

  it.each([
    ['CONCURRENCY', '0'],
    ['CONCURRENCY', 'many'],
    ['CONCURRENCY_TOTAL', '-1'],
    ['CONCURRENCY_REPOSITORY', '1.5'],
  ])('cannot be %s=%s', (name, value) => {
    expect([...faultsOf({ ...GOOD, [name]: value }).keys()]).toEqual([name]);
  });
});
