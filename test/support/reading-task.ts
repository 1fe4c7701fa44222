// A task that reads more than a small window holds, on real files: three reads in one reply, of 17, 64 and 60 kB. Its model knows
// only what its messages say, and notes what it found.
import { toolbox } from '../../src/agent/dispatch.ts';
import { History } from '../../src/agent/history.ts';
import { runLoop } from '../../src/agent/loop.ts';
import { ContextOverflow } from '../../src/agent/model-errors.ts';
import { systemPrompt } from '../../src/agent/prompts/system.ts';
import { protocolNamed } from '../../src/agent/protocols/index.ts';
import type { AgentEntry } from '../../src/contracts/entries.ts';
import type { Message, Model, ModelReply, ModelRequest } from '../../src/contracts/model.ts';
import { chooseTools } from '../../src/tools/choose-tools.ts';
import { finishingCall } from '../../src/tools/flow/finish.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { LIMITS } from '../agent/support.ts';
import { bench } from '../tools/support.ts';

const SIZES = [17_000, 64_000, 60_000];
const FACTS_A_FILE = 3;
const pathOf = (file: number): string => `src/part-${file}.ts`;
const factOf = (number: number): string => `FACT ${number}: value${number * 7919}`;

/** A source file of about so many bytes, with facts early, in the middle and near its end. */
function fileOf(file: number, bytes: number): string {
  const count = Math.floor(bytes / 42);
  const lines = Array.from({ length: count }, (_none, line) =>
    `export const item${line} = compute(${line}, 'part');`.slice(0, 41),
  );
  for (let at = 0; at < FACTS_A_FILE; at += 1)
    lines[Math.floor(count * (0.1 + 0.42 * at))] = `// ${factOf(file * FACTS_A_FILE + at)}`;
  return `${lines.join('\n')}\n`;
}

const FILES = Object.fromEntries(SIZES.map((bytes, file) => [pathOf(file), fileOf(file, bytes)]));
const LINES = SIZES.map((bytes, file) => fileOf(file, bytes).split('\n').length - 1);

/** How far a file was read from its beginning, by what a conversation or its notes show. */
function readTo(text: string, file: number): number {
  const notes = [...text.matchAll(new RegExp(`NOTE ${pathOf(file)} read to line (\\d+)`, 'g'))];
  return Math.max(0, ...notes.map(([, line]) => Number(line)));
}

const textOf = (messages: readonly Message[]): string =>
  messages
    .map((message) => {
      if (message.role === 'results') return message.results.map(({ output }) => output).join('\n');
      return message.role === 'assistant'
        ? `${message.text}\n${JSON.stringify(message.calls)}`
        : message.text;
    })
    .join('\n');

const known = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/FACT \d+: value\d+/g)].map(([fact]) => fact)),
];

/** What the newest results add to how far each file was read: whole lines from where the notes end. */
function progressIn(messages: readonly Message[]): number[] {
  const before = SIZES.map((_bytes, file) => readTo(textOf(messages), file));
  const last = messages.findLast((message) => message.role === 'results');
  const asked = messages.findLast((message) => message.role === 'assistant');
  if (last?.role !== 'results' || asked?.role !== 'assistant') return before;
  for (const [index, { tool, output }] of last.results.entries()) {
    if (tool !== 'read_file') continue;
    const path = (asked.calls[index]?.arguments as { path?: string } | undefined)?.path ?? '';
    const file = SIZES.findIndex((_bytes, one) => pathOf(one) === path);
    for (const [, line] of output.matchAll(/^(\d+)\t/gm))
      if (Number(line) === (before[file] ?? 0) + 1) before[file] = Number(line);
  }
  return before;
}

/** All facts that there are. */
export const FACTS = SIZES.length * FACTS_A_FILE;

/** It notes what it found, reads on where it stopped, and writes down all facts once it has them. */
function replyTo(messages: readonly Message[]): Pick<ModelReply, 'text' | 'calls'> {
  const text = textOf(messages);
  const progress = progressIn(messages);
  const facts = known(text);
  const notes = [
    ...facts,
    ...progress.map((line, file) => `NOTE ${pathOf(file)} read to line ${line}`),
  ].join('\n');
  const open = progress.flatMap((line, file) => (line < (LINES[file] ?? 0) ? [[file, line]] : []));
  const call = (tool: string, args: object, at = 0) => ({
    id: `call-${messages.length}-${text.length}-${at}`,
    tool,
    arguments: args,
  });
  if (open.length > 0)
    return {
      text: notes,
      calls: open.map(([file = 0, line = 0], at) =>
        call('read_file', { path: pathOf(file), start_line: line + 1 }, at),
      ),
    };
  if (/Created|"write_file"/.test(text))
    return { text: notes, calls: [call('finish', { summary: 'All facts are in facts.txt.' })] };
  return {
    text: notes,
    calls: [call('write_file', { path: 'facts.txt', content: facts.join('\n') })],
  };
}

const tokensOf = ({ system, tools, messages }: ModelRequest): number =>
  Math.ceil((system.length + JSON.stringify(tools).length + textOf(messages).length) / 4);

interface Window {
  readonly window: number;
  /** The window is in no list: only the server knows it. */
  readonly isUnknown?: boolean;
}

/** Plays the task in a window, and says what came of it. */
export async function playReading({ window, isUnknown = false }: Window) {
  const world = await bench(FILES);
  const sizes: number[] = [];
  let rejected = 0;
  const model: Model = {
    name: 'test:reader',
    destination: 'Nobody (test)',
    callsTools: true,
    imageTypes: new Set(),
    contextWindow: isUnknown ? undefined : window,
    reply: async (request) => {
      const input = tokensOf(request);
      if (input + Math.min(request.maxOutputTokens, window / 4) > window) {
        rejected += 1;
        throw new ContextOverflow('too long', { window });
      }
      sizes.push(input);
      const isSummary = request.cacheKey.endsWith(':summary');
      const said = textOf(request.messages);
      const reply = isSummary
        ? {
            text: `## Context\n${known(said).join('\n')}\n${SIZES.map((_bytes, file) => `NOTE ${pathOf(file)} read to line ${readTo(said, file)}`).join('\n')}`,
            calls: [],
          }
        : replyTo(request.messages);
      const usage = { input, cached: 0, written: 0, output: 100, reasoning: 0 };
      return { ...reply, reasoning: '', stop: 'end', usage, cost: null, native: null };
    },
  };
  const choice = chooseTools(TOOLS, new Map(), {});
  if ('fault' in choice) throw new Error(choice.fault);
  const tools = world.tools.list.filter(({ name }) => choice.names.has(name));
  const history = new History();
  history.beginRun();
  const protocol = protocolNamed('native');
  const instructions = systemPrompt({ protocol, tools, repository: 'example/parts', guidance: '' });
  history.speak({ protocol, instructions });
  const entries: AgentEntry[] = [];
  let asked = false;
  const steps = runLoop({
    mode: 'agent',
    model,
    tools: toolbox(tools, { conclude: finishingCall }),
    history,
    limits: { ...LIMITS, turns: 200, outputTokens: 32_000 },
    relief: { compaction: { messages: undefined, share: 0.75, keepRecent: 10 }, maxMessages: 40 },
    io: {
      hear: async () => {
        const input = asked ? undefined : { upTo: 1, text: 'Write all facts to facts.txt.' };
        asked = true;
        return { input, notices: [] };
      },
      spending: () => Promise.resolve({ issue: 0 }),
      elapsedMs: () => 0,
      progress: () => {},
      redact: (text) => text,
      redactForModel: (text) => Promise.resolve(text),
    },
    fallback: undefined,
    cacheKey: 'reader',
    signal: new AbortController().signal,
  });
  let step = await steps.next();
  while (step.done !== true) {
    const stored = { ...step.value, seq: entries.length + 1, at: '2026-01-02T03:04:05.000Z' };
    entries.push(stored);
    if (stored.type === 'call_finished') world.hub.journal.workKept(...stored.effects);
    step = await steps.next(stored);
  }
  const reads = entries
    .flatMap((entry) => (entry.type === 'reply' ? entry.calls : []))
    .filter(({ tool }) => tool === 'read_file').length;
  return {
    end: step.value,
    facts: known(await world.text('facts.txt')).length,
    requests: sizes.length,
    largest: Math.max(...sizes),
    rejected,
    reads,
    summaries: entries.filter((entry) => entry.type === 'compacted' && entry.upTo > 0).length,
    cuts: entries.filter((entry) => entry.type === 'compacted' && entry.mostOfResults !== undefined)
      .length,
  };
}
