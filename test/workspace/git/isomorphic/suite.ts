import { expect, it } from '@jest/globals';

/** Runs a suite whose workspaces have the engine of the environment with isomorphic-git. */
export async function onIsomorphicGit(load: () => Promise<unknown>): Promise<void> {
  const before = process.env['GIT_ENGINE'];
  process.env['GIT_ENGINE'] = 'isomorphic';
  try {
    await load();
    const { GIT } = await import('../../support.ts');
    it('has workspaces of isomorphic-git', () => expect(GIT.engine).toBe('isomorphic'));
  } finally {
    if (before === undefined) delete process.env['GIT_ENGINE'];
    else process.env['GIT_ENGINE'] = before;
  }
}
