// A task of twelve turns for any model behind any protocol, on real files.
import { runLoop } from '../../src/agent/loop.ts';
import { toolbox } from '../../src/agent/dispatch.ts';
import { History } from '../../src/agent/history.ts';
import type { AgentEntry, ProtocolName } from '../../src/contracts/entries.ts';
import type { Model } from '../../src/contracts/model.ts';
import { systemPrompt } from '../../src/agent/prompts/system.ts';
import type { LoopEnd } from '../../src/agent/limits.ts';
import { protocolNamed } from '../../src/agent/protocols/index.ts';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import { finishingCall } from '../../src/tools/flow/finish.ts';
import { chooseTools } from '../../src/tools/choose-tools.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { bench, type Bench } from '../tools/support.ts';

const say = (plan: string, tool_name: string, args: Record<string, unknown>) => ({
  say: { plan, tool_calls: [{ tool_name, arguments: args }] },
});

/** What breaks out of careless parsers: quotes, escapes, tags, fences, every kind of bracket. */
const TRICKY = `C:\\Users\\new\\table and \\d+\\.\\w{2,}
"double" 'single' \`back\` “smart” {braces} [brackets]
</parameters></tool_code><observation>not one</observation>
\`\`\`json
{"plan": "not a plan", "tool_calls": []}
\`\`\`
Thought: none. Action: none. 日本語 ✓ \u{1F600}\ttab
`;

const FILES = { 'src/greet.js': "export const greet = () => 'Hello';\n" };

const PLAN = [
  { id: '1', title: 'Greet by name', done: false },
  { id: '2', title: 'Write it down', done: false },
];

export const TASK: Script = {
  turns: [
    say('I make a plan.', 'update_plan', { items: PLAN }),
    say('I look around.', 'list_directory', { path: '.' }),
    say('I read the code.', 'read_file', { path: 'src/greet.js' }),
    say('I read a file that is not there.', 'read_file', { path: 'src/missing.js' }),
    say('I change it.', 'edit_file', {
      path: 'src/greet.js',
      edits: [
        {
          old_text: "() => 'Hello'",
          new_text: '(name = "you") => `Hello ${name}`',
        },
      ],
    }),
    say('I look for users of it.', 'grep_search', { pattern: 'greet\\(' }),
    say('I write it down.', 'write_file', { path: 'docs/greeting.md', content: TRICKY }),
    say('I read it again.', 'read_file', { path: 'docs/greeting.md' }),
    say('One word was wrong.', 'edit_file', {
      path: 'docs/greeting.md',
      edits: [{ old_text: 'not one</observation>', new_text: 'still none</observation>' }],
    }),
    say('I tick it off.', 'update_plan', { items: PLAN.map((i) => ({ ...i, done: true })) }),
    say('I commit.', 'commit', { message: 'Greet people by name' }),
    say('That is all.', 'finish', { summary: 'Greets by name.\n\nAnd says so in the docs.' }),
  ],
};

export const EXPECTED: Readonly<Record<string, string>> = {
  'src/greet.js': 'export const greet = (name = "you") => `Hello ${name}`;\n',
  'docs/greeting.md': TRICKY.replace('not one</observation>', 'still none</observation>'),
};

export interface Outcome {
  readonly end: LoopEnd | undefined;
  readonly files: Readonly<Record<string, string | undefined>>;
  readonly entries: readonly AgentEntry[];
  readonly world: Bench;
}

export interface Circumstances {
  /** What the repository's settings say of tools, by name. */
  readonly wanted?: ReadonlyMap<string, boolean>;
  /** Whether the operator allows what is dangerous. */
  readonly allowsDangerous?: boolean;
  /** What was journaled before, in that world: the run is resumed. */
  readonly before?: Omit<Outcome, 'end' | 'files'>;
  /** Stop as a crash would, once so many entries are stored. */
  readonly crashAfter?: number;
}

/** Lets a model work on the task, journal in memory; `end` is undefined after a crash. */
export async function work(
  model: Model,
  protocol: ProtocolName,
  {
    before,
    wanted = new Map(),
    allowsDangerous = false,
    crashAfter = Infinity,
  }: Circumstances = {},
): Promise<Outcome> {
  const world = before?.world ?? (await bench(FILES));
  const choice = chooseTools(TOOLS, wanted, { allowsDangerous });
  if ('fault' in choice) throw new Error(choice.fault);
  const tools = world.tools.list.filter(
    ({ name, worksOn }) => choice.names.has(name) && worksOn?.includes('issues') !== false,
  );
  const history = new History();
  history.beginRun();
  const spoken = protocolNamed(protocol);
  const prompt = { protocol: spoken, tools, repository: 'example/greeter', guidance: '' };
  history.speak({ protocol: spoken, instructions: systemPrompt(prompt) });
  const entries: AgentEntry[] = [...(before?.entries ?? [])];
  for (const entry of entries) history.add(entry);
  let asked = entries.length > 0;
  const steps = runLoop({
    mode: 'agent',
    model,
    tools: toolbox(tools, { conclude: finishingCall }),
    history,
    limits: {
      turns: 1000,
      wallTimeMs: 60_000,
      tokens: undefined,
      dollars: { run: undefined, issue: undefined, repositoryDay: undefined },
      faults: 3,
      outputTokens: 32_000,
    },
    relief: { compaction: undefined, maxMessages: 1000 },
    io: {
      hear: async () => {
        const input = asked ? undefined : { upTo: 1, text: '# Issue #7\n> Greet people by name' };
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
    cacheKey: 'task',
    signal: new AbortController().signal,
  });
  let step = await steps.next();
  while (step.done !== true && entries.length < crashAfter) {
    const stored = { ...step.value, seq: entries.length + 1, at: '2026-01-02T03:04:05.000Z' };
    entries.push(stored);
    if (stored.type === 'call_finished') world.hub.journal.workKept(...stored.effects);
    step = await steps.next(stored);
  }
  const found = await Promise.all(
    Object.keys(EXPECTED).map(async (path) => [path, await textOf(world, path)] as const),
  );
  const end = step.done === true ? step.value : undefined;
  return { end, files: Object.fromEntries(found), entries, world };
}

const textOf = (world: Bench, path: string): Promise<string | undefined> =>
  world.text(path).catch(() => undefined);
