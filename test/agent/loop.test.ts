import { describe, expect, it } from '@jest/globals';
import { abandonCalls } from '../../src/agent/act.ts';
import type { Message } from '../../src/contracts/model.ts';
import {
  done,
  drive,
  historyOf,
  json as say,
  lastText,
  results,
  run,
  testToolbox,
  testTools,
  type Entry,
} from './support.ts';

describe('the loop', () => {
  it('asks, acts in order, records each step before the next, and ends when a call ends it', async () => {
    const { end, journal } = await run({
      lines: [say(['note', { text: 'a' }], ['note', { text: 'b' }]), say(['end', {}])],
    });
    expect(end).toEqual({ kind: 'finished' });
    expect(journal.map(({ type }) => type)).toEqual([
      'input_read',
      'reply',
      'call_started',
      'call_finished',
      'call_started',
      'call_finished',
      'reply',
      'call_started',
      'call_finished',
    ]);
  });

  it('tells the model what failed, and runs the calls after it', async () => {
    done.length = 0;
    const calls: [string, object][] = [
      ['fail', {}],
      ['look', { text: 'a' }],
      ['note', { text: 'after' }],
      ['nonsense', {}],
      ['end', {}],
    ];
    const { end, journal, requests } = await run({ lines: [say(...calls)] });
    expect(done).toEqual(['after']);
    expect(results(journal)).toEqual([
      [false, 'no such file; list the directory first'],
      [true, 'looked at a'],
      [true, 'noted'],
      [false, expect.stringContaining('no tool "nonsense"')],
      [true, 'over'],
    ]);
    expect(requests).toHaveLength(1);
    expect(end).toEqual({ kind: 'finished' });
  });

  it('runs no call after one that ended the run, not even one that looks', async () => {
    const { journal } = await run({ lines: [say(['break', {}], ['look', {}])] });
    expect(results(journal)[1]).toEqual([false, 'not run: an earlier call ended this run']);
  });

  it('counts repeats of a failing call though other calls look after it', async () => {
    const circle = say(['fail', {}], ['look', { text: 'a' }]);
    const { end } = await run({ lines: [circle, circle, circle, circle] });
    expect(end).toMatchObject({ kind: 'failed', cause: { because: 'repeated_call' } });
  });

  it.each([
    ['an unknown tool', 'nonsense', /no tool "nonsense".*note/],
    ['the name of an object property', 'constructor', /no tool "constructor"/],
    ['prototype names', '__proto__', /no tool/],
  ])('answers %s instead of throwing', async (_what, name, answer) => {
    const { journal, end } = await run({ lines: [say([name, {}]), say(['end', {}])] });
    expect(results(journal)[0]?.[1]).toMatch(answer);
    expect(end).toEqual({ kind: 'finished' });
  });

  it('answers bad arguments with what is wrong with them', async () => {
    const { journal } = await run({ lines: [say(['note', { text: 7 }]), say(['end', {}])] });
    expect(results(journal)[0]?.[1]).toMatch(/arguments of note are invalid.*text/s);
  });

  it('accepts the other names of tools and arguments', async () => {
    done.length = 0;
    await run({ lines: [say(['note_alias', { question_text: 'alias' }]), say(['end', {}])] });
    expect(done).toEqual(['alias']);
  });

  it('corrects a model that answers nonsense three times, then fails', async () => {
    const { end, requests } = await run({ lines: ['?', '??', '???', '????', say(['end', {}])] });
    expect(end).toMatchObject({
      kind: 'failed',
      cause: { because: 'unreadable_replies', times: 4 },
    });
    expect(requests).toHaveLength(4);
    expect(
      requests[3]?.messages.filter((m) => 'text' in m && m.text.includes('exactly this form')),
    ).toHaveLength(3);
  });

  it('forgets earlier nonsense after a good reply', async () => {
    const lines = ['?', '?', '?', say(['note', {}]), '?', say(['end', {}])];
    expect((await run({ lines })).end).toEqual({ kind: 'finished' });
  });

  it('stops at the limit of turns', async () => {
    const lines = Array.from({ length: 9 }, (_none, n) => say(['note', { text: `${n}` }]));
    const { end, requests } = await run({ lines, limits: { turns: 3 } });
    expect(end).toMatchObject({
      kind: 'limit',
      cause: { because: 'limit', limit: '3 model replies per run' },
    });
    expect(requests).toHaveLength(3);
  });

  it('stops between two calls when its time limit is reached', async () => {
    done.length = 0;
    let now = 0;
    const { end } = await run({
      lines: [say(['note', { text: 'a' }], ['note', { text: 'b' }])],
      elapsedMs: () => (now += 25_000),
    });
    expect(done.length).toBeLessThan(2);
    expect(end).toMatchObject({ kind: 'limit', cause: { limit: '1 minute per run' } });
  });

  it('keeps secrets out of results, titles and effects', async () => {
    const { journal } = await run({ lines: [say(['note', { text: 'SECRET' }]), say(['end', {}])] });
    const kept = journal.filter(({ type }) => type !== 'reply');
    expect(JSON.stringify(kept)).not.toContain('SECRET');
    expect(JSON.stringify(kept)).toContain('[redacted]');
  });

  it('may show the model more of a result than people', async () => {
    const { journal, requests } = await run({
      tools: testToolbox(
        testTools(({ text }) =>
          Promise.resolve({
            output: String(text),
            effects: [{ type: 'branch', suffix: String(text) }],
          }),
        ),
      ),
      lines: [say(['note', { text: 'SECRET' }]), say(['end', {}])],
      redactForModel: (text) => Promise.resolve(text.replaceAll('SECRET', 'PUBLIC')),
    });
    expect(lastText(requests[1])).toContain('PUBLIC');
    expect(journal).toContainEqual(
      expect.objectContaining({
        output: 'PUBLIC',
        effects: [{ type: 'branch', suffix: '[redacted]' }],
      }),
    );
  });

  it('ends with the message for the person if a tool fails in a way that the model cannot fix', async () => {
    const { end, journal } = await run({ lines: [say(['break', {}], ['note', {}])] });
    expect(end).toEqual({
      kind: 'failed',
      cause: { because: 'error', message: 'The push was denied.' },
    });
    expect(results(journal)).toHaveLength(2);
  });

  it('takes what people said before the next request, and the model reads it there', async () => {
    const texts = ['Fix the bug.', undefined, 'And the docs, please.'];
    let turn = 0;
    const news = () => {
      const text = texts[turn++];
      return { input: text === undefined ? undefined : { upTo: turn, text } };
    };
    const { requests } = await run({
      lines: [say(['note', { text: 'a' }]), say(['note', { text: 'b' }]), say(['end', {}])],
      news,
    });
    expect(lastText(requests[1])).not.toContain('docs');
    expect(requests[2]?.messages.at(-1)).toEqual({ role: 'user', text: 'And the docs, please.' });
  });
});

describe('an interrupted run', () => {
  const lines = [
    say(['note', { text: 'a' }], ['note', { text: 'b' }]),
    '?',
    say(['fail', {}], ['note', { text: 'c' }]),
    say(['note', { text: 'd' }], ['end', {}]),
  ];

  it('resumes from any point to the same journal, with the same requests byte for byte', async () => {
    const whole = await run({ lines });
    const lastRequest: readonly Message[] = whole.requests.at(-1)?.messages ?? [];
    for (let crashAfter = 1; crashAfter < whole.journal.length; crashAfter++) {
      const journal: Entry[] = [];
      await run({ lines, journal, crashAfter });
      expect(journal).toHaveLength(crashAfter);
      const { end, requests } = await run({ lines, journal });
      expect(end).toEqual(whole.end);
      const untimed = (entries: Entry[]) => entries.map((entry) => ({ ...entry, durationMs: 0 }));
      expect(untimed(journal)).toEqual(untimed(whole.journal));
      expect(requests.at(-1)?.messages ?? lastRequest).toEqual(lastRequest);
    }
  });

  it('that failed for good ends the same way after a crash', async () => {
    const journal: Entry[] = [];
    await run({ lines: [say(['break', {}])], journal, crashAfter: 4 });
    const { end, requests } = await run({ lines: [say(['break', {}])], journal });
    expect(end).toEqual({
      kind: 'failed',
      cause: { because: 'error', message: 'The push was denied.' },
    });
    expect(requests).toEqual([]);
  });

  it('never repeats a call that has its result', async () => {
    const journal: Entry[] = [];
    done.length = 0;
    await run({ lines, journal, crashAfter: 4 });
    await run({ lines, journal });
    expect(done).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('a new run after one that asked', () => {
  it('begins with the answer, not with the halt of the run before', async () => {
    const lines = [say(['ask', {}], ['note', { text: 'late' }]), say(['end', {}])];
    const first = await run({ lines });
    expect(first.end).toEqual({ kind: 'asked' });
    const history = historyOf(first.journal, 'json');
    expect(history.end).toEqual({ kind: 'asked' });
    history.beginRun();
    expect(history.end).toBeUndefined();
    expect(results(first.journal).at(-1)).toEqual([
      false,
      'not run: an earlier call ended this run',
    ]);
  });

  it('leaves calls undone that a stopped run left open', async () => {
    const journal: Entry[] = [];
    await run({ lines: [say(['note', {}], ['note', {}])], journal, crashAfter: 3 });
    const history = historyOf(journal, 'json');
    await drive(abandonCalls(history), journal);
    expect(results(journal)).toEqual([
      [
        false,
        'interrupted, and it is unknown whether it took effect: the run that made the call has ended',
      ],
      [false, 'not run: the run that made the call has ended'],
    ]);
    expect(history.openCall).toBeUndefined();
  });
});

describe('a reply that a safety filter stopped', () => {
  const protocols = ['native', 'json', 'react'] as const;

  it.each(protocols)('ends the run (%s)', async (protocol) => {
    const { end } = await run({ lines: [{ stop: 'filtered', text: '' }], protocol });
    expect(end).toEqual({ kind: 'failed', cause: { because: 'filtered' } });
  });

  it.each(protocols)(
    'is no answer, whatever it says: it finishes nothing (%s)',
    async (protocol) => {
      const filtered = { stop: 'filtered', text: 'I cannot help with that.' } as const;
      const { end, journal } = await run({ lines: [filtered], protocol });
      expect(end).toMatchObject({ kind: 'failed' });
      expect(journal.map(({ type }) => type)).toEqual(['input_read', 'reply']);
      expect(journal[1]).toMatchObject({ answer: null, calls: [] });
    },
  );
});

describe('a run of mode single', () => {
  it('carries out one reply and ends', async () => {
    done.length = 0;
    const lines = ['?', say(['note', { text: 'a' }], ['note', { text: 'b' }]), say(['note', {}])];
    const { end, requests } = await run({ lines, mode: 'single' });
    expect(end).toEqual({ kind: 'finished' });
    expect(done).toEqual(['a', 'b']);
    expect(requests).toHaveLength(2);
  });
});
