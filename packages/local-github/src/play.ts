// How a person is the model of a run: reads each request and answers it.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { PlaygroundCommand } from './command.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import type {
  HandPlayedFiles,
  HandPlayedReply,
  HandPlayedRequest,
} from './model/hand-played-model.ts';
import { spellCommand } from '../../../src/lib/program-name.ts';

const USAGE = `${spellCommand('play')} DIR next [--seconds N]   what is new in the oldest request without a reply; waits for one, 60 s unless you say
                                        otherwise, and exits with 3 if none came
${spellCommand('play')} DIR reply FILE|-        answers it: {"text": "…", "calls": [{"tool": "…", "arguments": {…}}]}, each part optional
${spellCommand('play')} DIR show N              request N, whole
${spellCommand('play')} DIR list                a line for each request`;

const NONE_OPEN = 3;
const POLL_MS = 200;

export const play: PlaygroundCommand = {
  name: 'play',
  summary: `be the model yourself: ${spellCommand('play')} DIR next|reply|show|list`,
  run: async ({ arguments: args, print }) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { seconds: { type: 'string', default: '60' } },
    });
    const [directory, verb, word = ''] = positionals;
    if (directory === undefined) throw new Error(`Name the directory of the requests.\n${USAGE}`);
    const files = new (await handPlayed()).HandPlayedFiles(directory);
    switch (verb) {
      case 'next':
        return showNext(files, Number(values.seconds), print);
      case 'reply':
        return answer(files, word, print);
      case 'show':
        print(shown(files.request(Number(word)), 0, true));
        return 0;
      case 'list':
        for (const number of files.numbers) print(lineOf(files, number));
        return 0;
      case undefined:
      default:
        throw new Error(`There is no "${verb ?? ''}".\n${USAGE}`);
    }
  },
};

/** Loaded only then: it counts tokens, and the package has no tables for that. */
const handPlayed = () => import('./model/hand-played-model.ts');

type Print = (text: string) => void;

async function showNext(files: HandPlayedFiles, seconds: number, print: Print): Promise<number> {
  const until = Date.now() + seconds * 1000;
  while (files.open === undefined && Date.now() < until) await delay(POLL_MS);
  const { open } = files;
  if (open === undefined) {
    print('(no request waits for a reply)');
    return NONE_OPEN;
  }
  const request = files.request(open);
  const { from, isKnown } = newIn(files, request);
  print(shown(request, from, !isKnown));
  return 0;
}

/** Messages of an earlier request that has a reply and the same system prompt are not shown again. */
function newIn(files: HandPlayedFiles, request: HandPlayedRequest) {
  const earlier = files.numbers
    .filter((number) => number < request.number && files.reply(number) !== undefined)
    .map((number) => files.request(number))
    .filter(({ system }) => system === request.system);
  const common = earlier.map(({ messages }) => {
    const at = request.messages.findIndex(
      (message, index) => JSON.stringify(message) !== JSON.stringify(messages[index]),
    );
    return at < 0 ? request.messages.length : at;
  });
  return { from: Math.max(0, ...common), isKnown: common.some((count) => count > 0) };
}

function shown(request: HandPlayedRequest, from: number, isWhole: boolean): string {
  const { number, messages, tools, system, input, cached } = request;
  const head = `### request ${number}: ${messages.length} messages, ${tools.length} tools, ${input} tokens (${cached} of them as in an earlier request); shown from message ${from + 1}`;
  const before = isWhole
    ? ['### tools', ...tools.map((tool) => JSON.stringify(tool)), '### system prompt', system]
    : [];
  const said = messages.slice(from).map((message, at) => wordsOf(message, from + at + 1));
  return [head, ...before, ...said].join('\n');
}

const Message = z.union([
  z.object({ role: z.literal('user'), text: z.string() }),
  z.object({
    role: z.literal('assistant'),
    text: z.string(),
    calls: z.array(z.object({ tool: z.string(), arguments: z.unknown() })),
  }),
  z.object({
    role: z.literal('results'),
    results: z.array(z.object({ tool: z.string(), output: z.string() })),
  }),
]);

function wordsOf(given: unknown, number: number): string {
  const message = Message.parse(given);
  const head = `--- ${number} ${message.role}`;
  if (message.role === 'results')
    return [head, ...message.results.map(({ output }, at) => `[${at + 1}] ${output}`)].join('\n');
  if (message.role === 'user') return `${head}\n${message.text}`;
  const calls = message.calls.map(({ tool, arguments: args }) => `${tool} ${JSON.stringify(args)}`);
  return [head, message.text, ...calls].filter(Boolean).join('\n');
}

async function answer(files: HandPlayedFiles, from: string, print: Print): Promise<number> {
  const { open } = files;
  if (open === undefined) {
    print('(no request waits for a reply)');
    return NONE_OPEN;
  }
  files.writeReply(open, await readReply(from));
  print(`answered request ${open}`);
  return 0;
}

async function readReply(from: string): Promise<HandPlayedReply> {
  const replies = (await handPlayed()).HandPlayedReply;
  try {
    return replies.parse(JSON.parse(readFileSync(from === '-' ? 0 : from, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new Error(`The reply cannot be read, so nothing was answered: ${why}\n${USAGE}`, {
      cause: error,
    });
  }
}

function lineOf(files: HandPlayedFiles, number: number): string {
  const { messages, input, cached } = files.request(number);
  const calls = files.reply(number)?.calls.map(({ tool }) => tool);
  return `${number}: ${messages.length} messages, ${input} tokens, ${cached} cached → ${calls?.join(', ') ?? '(no reply)'}`;
}
