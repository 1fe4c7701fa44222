// Checks of the pull request fail: people are asked, or the agent fixes them, as far as they are the change's.
import { describe, expect, it } from '@jest/globals';
import {
  NOT_OK,
  scene,
  place,
  onPull,
  untilOnPull,
  untilInStatus,
  untilOnPage,
  commitsOf,
  react,
} from './ci-fixes-scene.ts';

describe('checks that fail', () => {
  it('are asked about once; a 👍 of a permitted person starts the fix, with the log quoted', async () => {
    const here = await place('asks', '', NOT_OK);
    const issue = here.ask('Ask first');
    const asked = await untilOnPull(here, /To let me fix this/);
    expect(asked).toMatch(/1 check failed on `[0-9a-f]{7}`/);
    expect(asked).toContain('`test`');
    await untilInStatus(here, issue, /May I fix this\? See #\d+/);
    react(here, 'other', /To let me fix this/);
    react(here, 'octo-maintainer', /To let me fix this/);
    await untilInStatus(here, issue, /✅ The checks passed after 1 round of fixes/);
    expect(await commitsOf(here)).toBe(2);
    expect(onPull(here)).toHaveLength(1);
  });

  it('are not fixed for a 👍 of someone who may not request work, until one who may gives it', async () => {
    const here = await place('stranger', '', NOT_OK);
    const issue = here.ask('Stranger');
    await untilOnPull(here, /To let me fix this/);
    const asked = scene.agentRequests.length;
    react(here, 'stranger', /To let me fix this/);
    await untilOnPage(here, issue, /👍 on fixing the checks.*does not have the required role/);
    await untilInStatus(here, issue, /May I fix this\? See #\d+/);
    expect(scene.agentRequests).toHaveLength(asked);
    expect(await commitsOf(here)).toBe(1);
    react(here, 'octo-maintainer', /To let me fix this/);
    await untilInStatus(here, issue, /✅ The checks passed after 1 round of fixes/);
    expect(await commitsOf(here)).toBe(2);
  });

  it('are left alone and not spoken of if the settings say so', async () => {
    const here = await place('off', 'fix_ci: off\n', NOT_OK);
    const issue = here.ask('Off');
    await here.untilStatus(issue, /ready for review/i);
    const asked = scene.agentRequests.length;
    // It heard of the failure, and looked no further.
    await untilOnPage(
      here,
      issue,
      /The checks of \w+ may have changed.*Checks of \w+: not looked at, because the settings say `fix_ci: off`/,
    );
    await here.untilStatus(issue, /ready for review/i);
    expect(here.status(issue)).not.toMatch(/check/i);
    expect(onPull(here)).toEqual([]);
    expect(scene.agentRequests).toHaveLength(asked);
    expect(await commitsOf(here)).toBe(1);
  });

  it('are fixed without asking if the settings say so, round after round', async () => {
    const here = await place('own', 'fix_ci: own\n', NOT_OK, 'not ok 2 - other words', NOT_OK);
    const issue = here.ask('By itself');
    await untilInStatus(here, issue, /✅ The checks passed after 2 rounds of fixes/);
    expect(await commitsOf(here)).toBe(3);
    expect(onPull(here)).toEqual([]);
  });

  it('are left to people if they fail in the same way after a fix', async () => {
    const here = await place('same', 'fix_ci: own\n', NOT_OK);
    const issue = here.ask('In vain');
    await untilOnPull(here, /the failures are the same/);
    await untilInStatus(here, issue, /I left this to you, see #\d+/);
    expect(await commitsOf(here)).toBe(2);
  });
});
