import { describe, expect, it } from '@jest/globals';
import { promptOf, requestAt } from '../../src/app/request-at.ts';
import { Journal } from '../support/journal.ts';
import { storeOf } from './support.ts';

const TURNS = 300;

/** A conversation that was compacted, begun anew, and compacted again, with notices and words of people in it. */
function long(): Journal {
  const journal = new Journal().start().run().takeInput();
  for (let turn = 1; turn <= TURNS; turn += 1) {
    journal.turn({ thought: `Step ${turn}.`, calls: [{ tool: 'note', result: { output: 'x' } }] });
    if (turn % 40 === 0) journal.notice(`topic ${turn}`, `Notice ${turn}.`);
    if (turn % 70 === 0) journal.compacted(`Summary ${turn}.`);
    if (turn % 90 === 0) journal.comment(`Word ${turn}.`).admit().takeInput();
    if (turn === 100) journal.end({ kind: 'finished' }).comment('More.').admit().run().takeInput();
    if (turn === 200)
      journal
        .end({ kind: 'finished' })
        .comment('Anew.')
        .admit()
        .add({ type: 'run_started', run: 3, afresh: true })
        .takeInput();
  }
  return journal;
}

describe('the prompt at any step', () => {
  it('is the one that the whole journal gives', async () => {
    const { entries } = long();
    const store = storeOf({ abc: entries });
    const steps = entries.filter(({ type }) =>
      ['reply', 'notice', 'input_read', 'compacted', 'run_prepared'].includes(type),
    );
    expect(steps.length).toBeGreaterThan(TURNS);
    // Each needs the whole conversation twice.
    for (const { seq, type } of steps.filter((_step, at) => at % 7 === 0)) {
      const upTo = type === 'reply' ? seq - 1 : seq;
      const { prompt } = (await requestAt(store, 'abc', seq)) ?? {};
      expect([seq, prompt]).toEqual([seq, promptOf(entries.slice(0, upTo))]);
    }
    const next = await requestAt(store, 'abc');
    expect(next?.prompt).toEqual(promptOf(entries));
  });

  it('of a call is that of the reply that made it', async () => {
    const { entries } = long();
    const store = storeOf({ abc: entries });
    const calls = entries.filter(({ type }) => type.startsWith('call_')).slice(0, 4);
    expect(calls.map(({ type }) => type)).toContain('call_finished');
    for (const call of calls) {
      const { reply } = call as typeof call & { readonly reply: number };
      const found = await requestAt(store, 'abc', call.seq);
      expect(found).toEqual(await requestAt(store, 'abc', reply));
      expect(found?.at).toBe(reply);
    }
  });

  it('exists for what the model was told, and for nothing else', async () => {
    const { entries } = long();
    const store = storeOf({ abc: entries });
    const found = async (seq: number) => (await requestAt(store, 'abc', seq)) !== undefined;
    for (const { seq, type } of entries.slice(0, 12))
      expect([type, await found(seq)]).toEqual([
        type,
        [
          'reply',
          'run_prepared',
          'input_read',
          'notice',
          'compacted',
          'call_started',
          'call_finished',
        ].includes(type),
      ]);
    expect(await found(entries.length + 1)).toBe(false);
    expect(await requestAt(store, 'none')).toBeUndefined();
  });
});
