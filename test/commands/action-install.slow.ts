// The GitHub Action in a checkout without packages, which its first step installs.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { ADDS } from './by-hand-scene.ts';
import { download, runOn, scene } from './action-scene.ts';

describe('the GitHub Action', () => {
  it('installs itself without what only its tests need, and opens a pull request for the issue of the event', async () => {
    const issue = scene.openIssue();
    const checkout = download();
    const ran = await runOn({ issue }, ADDS, { checkout, only: ['Install', 'Run'] });
    expect([ran.code, ran.log]).toEqual([0, expect.stringContaining('Done.')]);
    expect(ran.outputs).toEqual({
      outcome: 'done',
      'pull-request': `${scene.github.url}/${scene.repository.fullName}/pull/2`,
    });
    expect(scene.pulls[0]).toMatchObject({ author: { login: 'workflows[bot]' } });
    expect(scene.pulls[0]?.body).toContain('Closes #1');
    expect(() => execFileSync('test', ['-e', `${checkout}/node_modules/jest`])).toThrow();
  }, 300_000);
});
