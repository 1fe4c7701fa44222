import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ProtocolName } from '../../src/contracts/entries.ts';
import type { Message } from '../../src/contracts/model.ts';
import { protocolNamed } from '../../src/agent/protocols/index.ts';
import { conversationOf } from '../../src/app/run/conversation.ts';
import type { Entry } from '../../src/session/entry.ts';
import { anySession, sessionWithoutNotices } from './random-session.ts';
import { play } from './session-player.ts';
import { cases } from '../support/cases.ts';

/** Other sessions for each property, the same in every test run. To make a fault small has an end, too. */
const SESSIONS = [1, 2, 3, 4].map((seed) => ({
  seed,
  numRuns: cases(60, 400),
  interruptAfterTimeLimit: cases(10_000, 100_000),
}));
/** Behind which entries the process dies. */
const deaths = fc.array(fc.integer({ min: 4, max: 80 }), { maxLength: 5 });
const diesAt =
  (seqs: readonly number[]) =>
  (seq: number): boolean =>
    seqs.includes(seq);
const PROTOCOLS: readonly ProtocolName[] = ['native', 'json', 'react', 'none'];

const HAPPENINGS = [
  'more than fifty calls',
  '\0',
  '\ud800',
  '__proto__',
  'notice',
  'protocol_changed',
  'dropped',
  'summarised',
  'asked',
  'finished',
  'answered',
  'limit',
  'failed',
];

/** What a provider would not have of a conversation that it is to answer; empty: it is as it should be. */
function faultsOf(messages: readonly Message[]): readonly string[] {
  const faults = messages.flatMap((message, index) => {
    const place = `message ${index + 1} of ${messages.length}`;
    return faultsOfOne(message, messages[index - 1], messages[index + 1]).map(
      (fault) => `${place} ${fault}`,
    );
  });
  const ids = messages.flatMap((message) =>
    message.role === 'assistant' ? message.calls.map(({ id }) => id) : [],
  );
  if (new Set(ids).size < ids.length) faults.push('two calls have one name');
  if (messages[0]?.role !== 'user') faults.push('it begins with no message of ours');
  if (messages.at(-1)?.role === 'assistant') faults.push('there is nothing to answer');
  return faults;
}

function faultsOfOne(
  message: Message,
  before: Message | undefined,
  after: Message | undefined,
): readonly string[] {
  switch (message.role) {
    case 'user':
      return message.text.trim() === '' ? ['is empty'] : [];
    case 'assistant': {
      if (message.calls.length === 0) return message.text.trim() === '' ? ['is empty'] : [];
      const answered = after?.role === 'results' ? after.results.map(({ id }) => id) : [];
      const asked = message.calls.map(({ id }) => id);
      return JSON.stringify(asked) === JSON.stringify(answered)
        ? []
        : ['has calls without results'];
    }
    case 'results':
      return before?.role === 'assistant' && before.calls.length > 0 ? [] : ['has no calls'];
    default:
      return message satisfies never;
  }
}

/** What an entry adds to the things that have happened. */
function happeningsIn(entry: Entry): readonly string[] {
  if (entry.type === 'compacted') return [entry.summary === null ? 'dropped' : 'summarised'];
  if (entry.type === 'run_ended') return [entry.end.kind];
  if (entry.type !== 'reply') return [entry.type];
  const { protocol, stop, calls, text } = entry;
  return [
    `${protocol} ${stop}`,
    ...(calls.length > 50 ? ['more than fifty calls'] : []),
    ...['\0', '\ud800', '__proto__'].filter((sign) => text.includes(sign)),
  ];
}

describe('whatever happens in a session', () => {
  it('is much: every protocol, every end, and all that can go wrong on the way', async () => {
    const sessions = fc.sample(anySession, SESSIONS[0]);
    const played = await Promise.all(sessions.map((runs) => play(runs)));
    const happened = new Set(played.flatMap(({ entries }) => entries.flatMap(happeningsIn)));
    const replies = PROTOCOLS.flatMap((name) =>
      ['end', 'cut', 'filtered'].map((stop) => `${name} ${stop}`),
    );
    expect([...happened]).toEqual(expect.arrayContaining([...replies, ...HAPPENINGS]));
  });

  it('no request is one that a provider would not have', async () => {
    await fc.assert(
      fc.asyncProperty(anySession, deaths, async (runs, dying) => {
        const { sent } = await play(runs, diesAt(dying));
        expect(sent.flatMap(({ messages }) => faultsOf(messages))).toEqual([]);
      }),
      SESSIONS[0],
    );
  });

  it('every request is what a process that starts there would send', async () => {
    await fc.assert(
      fc.asyncProperty(anySession, deaths, async (runs, dying) => {
        const { sent, stored } = await play(runs, diesAt(dying));
        for (const { at, ...request } of sent) {
          const { prompt, messages } = conversationOf(stored.slice(0, at));
          const fresh = { system: prompt.instructions, messages };
          expect(JSON.stringify(fresh)).toBe(JSON.stringify(request));
        }
      }),
      SESSIONS[1],
    );
  });

  // A notice that has left the conversation is repeated when the run next reads input. If the process dies
  // in between, the model reads the notice one request sooner.
  it('a process that dies behind every entry leaves the same journal, and sends the same', async () => {
    await fc.assert(
      fc.asyncProperty(sessionWithoutNotices, async (runs) => {
        const whole = await play(runs);
        const interrupted = await play(runs, () => true);
        expect(JSON.stringify(interrupted.stored)).toBe(JSON.stringify(whole.stored));
        expect(JSON.stringify(interrupted.sent)).toBe(JSON.stringify(whole.sent));
      }),
      SESSIONS[2],
    );
  });

  it('its conversation can be written under every protocol', async () => {
    await fc.assert(
      fc.asyncProperty(anySession, async (runs) => {
        const { stored } = await play(runs);
        for (const name of PROTOCOLS) {
          const history = conversationOf(stored);
          history.speak({ protocol: protocolNamed(name), instructions: '' });
          const next: Message = { role: 'user', text: 'And now?' };
          expect([name, faultsOf([...history.messages, next])]).toEqual([name, []]);
        }
      }),
      SESSIONS[3],
    );
  });
});
