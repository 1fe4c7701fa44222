import { describe, expect, it } from '@jest/globals';
import { concludeWith } from '../../src/tools/index.ts';
import { bench } from './support.ts';

const subIssue = (title: string, text = 'Do it.') => ({ title, text });
const propose = async (args: object) => (await bench({})).call('propose_sub_issues', args);

describe('propose_sub_issues', () => {
  it('asks people for their approval, in the order given', async () => {
    const items = [subIssue('First'), subIssue('Second')];
    expect(await propose({ sub_issues: items })).toMatchObject({
      effects: [{ type: 'sub_issues_proposed', items }],
      halt: 'asked',
    });
  });

  it('ends the work with the reason if there is nothing to split', async () => {
    expect(await propose({ reason: 'One is enough.' })).toMatchObject({
      effects: [{ type: 'finish', outcome: 'nothing_to_do', summary: 'One is enough.' }],
      halt: 'finished',
    });
  });

  it.each<[what: string, args: object, says: RegExp]>([
    ['of one title', { sub_issues: [subIssue('A'), subIssue('a')] }, /same title/],
    ['without a title', { sub_issues: [subIssue(' ')] }, /title/],
    [
      'that are too many',
      { sub_issues: Array.from({ length: 11 }, (_, at) => subIssue(`${at}`)) },
      /sub_issues/,
    ],
    ['with a text that is too long', { sub_issues: [subIssue('A', 'x'.repeat(4_001))] }, /text/],
    [
      'that are too long together',
      { sub_issues: Array.from({ length: 6 }, (_, at) => subIssue(`${at}`, 'x'.repeat(4_000))) },
      /20000 characters/,
    ],
  ])('proposes none %s', async (_what, args, says) => {
    await expect(propose(args)).rejects.toThrow(says);
  });

  it('is how a run that has it ends for a model that ended with a text', () => {
    const conclude = concludeWith([{ name: 'propose_sub_issues' }]);
    expect(conclude(' One is enough. ')).toEqual({
      tool: 'propose_sub_issues',
      arguments: { reason: 'One is enough.' },
    });
    expect(concludeWith([{ name: 'finish' }])('Done.').tool).toBe('finish');
  });
});
