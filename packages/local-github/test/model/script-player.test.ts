import { describe, expect, it } from '@jest/globals';
import {
  SUMMARY_INSTRUCTIONS,
  summaryMessage,
} from '../../../../src/agent/prompts/separate-requests.ts';
import type { Message } from '../../../../src/contracts/model.ts';
import { ScriptPlayer, type Played } from '../../src/model/script-player.ts';
import { Script } from '../../src/model/script.ts';
import { SAMPLE } from '../../src/sample/index.ts';

const FORMS = {
  native: { system: 'Be brief.', hasTools: true },
  json: { system: 'Reply with one object.', hasTools: false },
  react: { system: 'Call a tool with <tool_code>.', hasTools: false },
};
type Form = keyof typeof FORMS;
const forms = Object.keys(FORMS) as Form[];

const call = (name: string) => ({ tool_name: name, arguments: { of: name } });
const say = (plan: string, ...names: string[]) => ({ say: { plan, tool_calls: names.map(call) } });
const user = (text: string): Message => ({ role: 'user', text });

/** A conversation with a script, in which every reply is answered by a message. */
class Talk {
  readonly player: ScriptPlayer;
  readonly form: Form;
  messages: Message[];

  constructor(script: Script, form: Form, first = 'Hello') {
    this.player = new ScriptPlayer([Script.parse(script)]);
    this.form = form;
    this.messages = [user(first)];
  }

  ask(system = FORMS[this.form].system): Played {
    const { hasTools } = FORMS[this.form];
    return this.player.next({ system, hasTools, messages: this.messages, bytes: 100 });
  }

  /** Takes the reply into the conversation, and answers it. */
  take(played: Played): void {
    if (played.kind !== 'reply') throw new Error(JSON.stringify(played));
    const { text, calls } = played;
    this.messages.push({ role: 'assistant', text, calls, native: null }, user('What came of it'));
  }

  goOn(times: number): void {
    for (let time = 0; time < times; time++) this.take(this.ask());
  }

  /** All but the first message and the last ones leave. */
  compact(kept: number, summary: string | null = 'What was.'): void {
    const [first = user(''), ...rest] = this.messages;
    const recent = kept === 0 ? [] : rest.slice(-kept);
    this.messages = [first, user(summaryMessage(summary)), ...recent];
  }

  place(): number | undefined {
    const played = this.ask();
    return played.kind === 'reply' ? played.place : undefined;
  }
}

const namesIn = (played: Played): unknown[] => {
  if (played.kind !== 'reply') return [played];
  if (played.calls.length > 0) return played.calls.map(({ tool }) => tool);
  return [...played.text.matchAll(/(?:"tool_name":"|<name>)(\w+)/g)].map(([, name]) => name);
};

describe('a scripted turn', () => {
  const script: Script = { turns: [say('Look', 'a', 'b'), { raw: '<b>Done</b>' }] };

  it('is native calls with the plan beside them if the request has tools', () => {
    expect(new Talk(script, 'native').ask()).toMatchObject({
      text: 'Look',
      calls: [
        { id: 'call_1_1', tool: 'a', arguments: { of: 'a' } },
        { id: 'call_1_2', tool: 'b', arguments: { of: 'b' } },
      ],
    });
  });

  it('is the object of the JSON protocol if the request has none', () => {
    const played = new Talk(script, 'json').ask();
    expect(played).toMatchObject({ text: JSON.stringify(script.turns[0]?.say), calls: [] });
  });

  it('is one reply for each call in ReAct, with the plan before the first', () => {
    const talk = new Talk(script, 'react');
    expect(talk.ask()).toMatchObject({
      text: 'Look\n\n<tool_code>\n<name>a</name>\n<parameters>\n{"of":"a"}\n</parameters>\n</tool_code>',
    });
    talk.goOn(1);
    expect(talk.ask()).toMatchObject({
      text: expect.stringMatching(/^Look \(2 of 2\)\n\n<tool_code>\n<name>b</) as unknown,
    });
  });

  it.each(forms)('that is raw is word for word in %s', (form) => {
    const talk = new Talk({ turns: [{ raw: '<tool_code>{"plan": 1}' }] }, form);
    expect(talk.ask()).toMatchObject({ text: '<tool_code>{"plan": 1}', calls: [] });
  });

  it('is checked, delayed and failed once in ReAct, however many its replies', () => {
    const turn = { ...say('Look', 'a', 'b'), when: 'Hello', delay_ms: 5, status: 503 };
    const talk = new Talk({ turns: [turn] }, 'react');
    expect(talk.ask()).toMatchObject({ delayMs: 5, trouble: { kind: 'status', status: 503 } });
    talk.goOn(1);
    expect(talk.ask()).toMatchObject({ delayMs: 0, trouble: null });
  });
});

it('plays the story of the demo in every form, with the same calls in the same order', () => {
  const [native = [], json, react] = forms.map((form) => {
    const talk = new Talk(SAMPLE.script, form);
    const names: unknown[] = [];
    for (let next = talk.ask(); next.kind === 'reply'; next = talk.ask()) {
      names.push(...namesIn(next));
      talk.take(next);
    }
    return names;
  });
  expect(native.length).toBeGreaterThan(10);
  expect([json, react]).toEqual([native, native]);
});

describe('a conversation that was shortened', () => {
  const turns: Script['turns'] = Array.from({ length: 12 }, (_none, index) =>
    say(`Step ${index}`, 'a', 'b'),
  );
  const script: Script = { summary: 'Much was done.', turns };

  it.each(forms)(
    'continues where it was, and repeats itself for a repeated request: %s',
    (form) => {
      const talk = new Talk(script, form);
      talk.goOn(6);
      talk.compact(4);
      expect([talk.place(), talk.place()]).toEqual([6, 6]);
      talk.goOn(2);
      expect(talk.place()).toBe(8);
      talk.compact(2, null);
      expect([talk.place(), talk.place()]).toEqual([8, 8]);
    },
  );

  it.each(forms)('continues where it was if no reply is left: %s', (form) => {
    const talk = new Talk(script, form);
    talk.goOn(6);
    talk.compact(0);
    expect([talk.place(), talk.place()]).toEqual([6, 6]);
    talk.goOn(2);
    talk.compact(0);
    expect([talk.place(), talk.place()]).toEqual([8, 8]);
  });

  it.each(forms)('counts on from the last reply that it recognises: %s', (form) => {
    const talk = new Talk({ turns: turns.with(4, { ...say('Half', 'a'), cut: true }) }, form);
    talk.goOn(4);
    talk.messages.push(
      { role: 'assistant', text: '{"pla', calls: [], native: null },
      user('It was cut.'),
    );
    talk.compact(4);
    expect(talk.place()).toBe(5);
  });

  it('is not looked for in one that only says the same again', () => {
    const talk = new Talk({ turns: [{ raw: 'Hm' }, { raw: 'Well' }, { raw: 'Hm' }] }, 'json');
    talk.messages.push({ role: 'assistant', text: 'Well', calls: [], native: null }, user('So?'));
    expect(talk.place()).toBe(1);
  });

  it('gets the script’s summary when it asks for one', () => {
    const talk = new Talk(script, 'json');
    expect(talk.ask(SUMMARY_INSTRUCTIONS)).toEqual({ kind: 'aside', text: 'Much was done.' });
    expect(new Talk({ turns }, 'json').ask(SUMMARY_INSTRUCTIONS)).toMatchObject({
      kind: 'no_reply',
      words: expect.stringContaining('`summary`') as unknown,
    });
  });
});
