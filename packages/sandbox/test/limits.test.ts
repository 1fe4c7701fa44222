import { expect, it } from '@jest/globals';
import { defaultLimits, prlimitArguments } from '../src/limits.ts';

it('limits address space and data only if no cgroup limits the memory', () => {
  const limits = (isByCgroup: boolean) =>
    prlimitArguments(defaultLimits(), { isByCgroup }).join(' ');
  expect(limits(false)).toMatch(/--data=\d+ --as=\d+ --nproc/);
  expect(limits(true)).toMatch(/^\/usr\/bin\/prlimit --nproc=512/);
});
