// A run whose model ended it with a text, replayed.
import { describe, expect, it } from '@jest/globals';
import { replayJournal } from '../../src/app/replay/replay.ts';
import type { Call } from '../../src/contracts/model.ts';
import type { Effect } from '../../src/contracts/effect.ts';
import { concludingProposal } from '../../src/tools/flow/propose-sub-issues.ts';
import { finishingCall } from '../../src/tools/flow/finish.ts';
import { Journal, type RunPrepared } from '../support/journal.ts';

const WORDS = 'One pull request is enough.';
const FINISHED: Effect = { type: 'finish', outcome: 'nothing_to_do', summary: WORDS };

/** Whether the same call is made for the model as in the journal. */
async function isSameCall(prepared: RunPrepared, call: Call): Promise<boolean> {
  const journal = new Journal().start().run({ protocol: 'native', ...prepared });
  const result = { effects: [FINISHED], halt: 'finished' } as const;
  journal.turn({ answer: WORDS, calls: [{ ...call, result }] }).end({ kind: 'finished' });
  const { differences } = await replayJournal('session', journal.entries);
  return differences.every(({ type }) => type !== 'reply');
}

describe('the replay of a run that ended with a text', () => {
  it('finishes the work if the journal does not name the tools', async () => {
    expect(await isSameCall({}, finishingCall(WORDS))).toBe(true);
    expect(await isSameCall({}, concludingProposal(WORDS))).toBe(false);
  });

  it('proposes no sub-issues if the run had the tool for that', async () => {
    const tools = ['read_file', 'propose_sub_issues'];
    expect(await isSameCall({ tools }, concludingProposal(WORDS))).toBe(true);
  });
});
