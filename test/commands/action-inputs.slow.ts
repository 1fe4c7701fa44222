// What a workflow gives to the GitHub Action as inputs.
import { describe, expect, it } from '@jest/globals';
import { ADDS, ask, finish, say, write } from './by-hand-scene.ts';
import { scene, eventAbout, runOn } from './action-scene.ts';

describe('the inputs of the GitHub Action', () => {
  it('reads the issue as it is now if the event is about another one', async () => {
    const event = await eventAbout(scene.openIssue('First', 'Write nothing.'));
    const issue = scene.openIssue('Second', 'Write hi.txt.');
    const ran = await runOn({ event, with: { issue: String(issue.number) } }, ADDS);
    expect([ran.code, ran.outputs['outcome']]).toEqual([0, 'done']);
    expect(scene.prompts).toContain('Second');
    expect(scene.prompts).not.toContain('Write nothing.');
  });

  it('takes the number of an issue, and continues with the next ones', async () => {
    const numbered = scene.openIssue();
    const ran = await runOn({ with: { issue: `#${numbered.number}` } }, ADDS);
    expect([ran.code, ran.outputs['outcome']]).toEqual([0, 'done']);
    scene.openIssue('Second', 'Write b.txt.', ['issuewright']);
    scene.openIssue('Third', 'Write c.txt.', ['issuewright']);
    const more = await runOn({ with: { continuous: 'true' } }, [
      say(write('b.txt', 'b\n'), finish),
      say(write('c.txt', 'c\n'), finish),
    ]);
    expect(more.log).toContain('No open issue with the label');
    expect(more.outputs['pull-request']?.split('\n')).toHaveLength(2);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['no issue', {}, /is about no issue/],
    ['words', { issue: '1; touch /tmp/x' }, /neither a number nor an address/],
    ['another place', { issue: 'https://example.com/o/r/issues/1' }, /GITHUB_TOKEN is for http/],
    ['an option that is no boolean', { issue: '1', yes: 'on' }, /neither true nor false/],
  ])('says what is wrong with %s, and asks no model', async (_, given, words) => {
    scene.openIssue();
    const ran = await runOn({ with: given }, ADDS);
    expect([ran.code === 0, ran.log]).toEqual([false, expect.stringMatching(words)]);
    expect(scene.model.requests).toHaveLength(0);
  });

  it('takes the answers that the agent proposes if told to', async () => {
    const given = { yes: 'true' };
    const ran = await runOn({ issue: scene.openIssue(), with: given }, [say(ask), ...ADDS]);
    expect([ran.code, ran.outputs['outcome']]).toEqual([0, 'done']);
  });
});
