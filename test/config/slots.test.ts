import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { faultsOf, GOOD } from './good.ts';

const slotsOf = (environment: Record<string, string>) =>
  readConfig({ ...GOOD, ...environment }).slots;

describe('how many sessions are worked on at once', () => {
  it('is four in each process, and unlimited in total', () => {
    expect(slotsOf({})).toEqual({ ofProcess: 4, limits: { weights: {} } });
  });

  it('is for the operator to say, for the process and for all processes together', () => {
    const slots = slotsOf({
      CONCURRENCY: '20',
      CONCURRENCY_TOTAL: '50',
      CONCURRENCY_INSTALLATION: '10',
      CONCURRENCY_REPOSITORY: '2',
      ACCOUNT_WEIGHTS: 'Your-Org=3, someone=2',
    });
    expect(slots).toEqual({
      ofProcess: 20,
      limits: {
        service: 50,
        installation: 10,
        repository: 2,
        weights: { 'your-org': 3, someone: 2 },
      },
    });
  });

  it.each([
    ['CONCURRENCY', '0'],
    ['CONCURRENCY', 'many'],
    ['CONCURRENCY_TOTAL', '-1'],
    ['CONCURRENCY_REPOSITORY', '1.5'],
    ['ACCOUNT_WEIGHTS', 'your-org'],
    ['ACCOUNT_WEIGHTS', 'your-org=0'],
    ['ACCOUNT_WEIGHTS', 'your-org=1,'],
    ['ACCOUNT_WEIGHTS', 'your-org=1,Your-Org=2'],
  ])('cannot be %s=%s', (name, value) => {
    expect([...faultsOf({ ...GOOD, [name]: value }).keys()]).toEqual([name]);
  });
});
