// Our loop alone: its entries stay in memory, and the tools are those of the task.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { toolbox } from '../../src/agent/dispatch.ts';
import { History } from '../../src/agent/history.ts';
import { runLoop } from '../../src/agent/loop.ts';
import { protocolNamed } from '../../src/agent/protocols/index.ts';
import type { Run } from '../../src/agent/agent-run.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { zodArguments } from '../../src/tools/define-tool.ts';
import { contend } from './contend.ts';
import { openOurModel } from './our-model.ts';
import { doneWith, PROMPT, SECRETS, SYSTEM, TOOL, type Task } from './task.ts';

const file = z.object({
  path: z.string().describe(TOOL.path),
  content: z.string().describe(TOOL.content),
});

const writeInto = (directory: string): Tool => ({
  name: TOOL.name,
  aliases: [],
  description: TOOL.description,
  arguments: zodArguments(file),
  safety: 'safe',
  rendering: { arguments: {}, output: 'plain' },
  title: ({ path: name }) => `Write ${String(name)}`,
  run: async (args) => {
    const given = file.parse(args);
    const bytes = Buffer.from(given.content);
    await writeFile(path.join(directory, given.path), bytes);
    return { output: doneWith(given.path, bytes.length) };
  },
});

/** What a last reply without a call is taken for. */
const finish: Tool = {
  name: 'finish',
  aliases: [],
  description: 'Ends the work.',
  arguments: zodArguments(z.object({})),
  safety: 'safe',
  rendering: { arguments: {}, output: 'plain' },
  title: () => 'Finish',
  run: () => Promise.resolve({ output: 'Finished.', halt: 'finished' }),
};

async function runOf({ baseUrl, turns, directory }: Task): Promise<Run> {
  const history = new History();
  history.beginRun();
  history.speak({ protocol: protocolNamed('native'), instructions: SYSTEM });
  const inputs = [{ upTo: 0, text: PROMPT }];
  const started = performance.now();
  return {
    mode: 'agent',
    model: await openOurModel(baseUrl),
    tools: toolbox([writeInto(directory), finish], {
      conclude: () => ({ tool: finish.name, arguments: {} }),
    }),
    history,
    limits: {
      turns: 2 * turns,
      wallTimeMs: 600_000,
      tokens: undefined,
      dollars: { run: undefined, issue: undefined, repositoryDay: undefined },
      faults: 3,
      outputTokens: 32_000,
    },
    // No peer compacts here: all of them send the whole conversation.
    relief: { compaction: undefined, maxMessages: Infinity },
    io: {
      hear: async () => ({ input: inputs.pop(), notices: [] }),
      spending: () => Promise.resolve({ issue: 0 }),
      elapsedMs: () => performance.now() - started,
      progress: () => {},
      redact: createRedactor(SECRETS).redact,
      redactForModel: (text) => Promise.resolve(createRedactor(SECRETS).redact(text)),
    },
    fallback: undefined,
    cacheKey: 'bench',
    signal: new AbortController().signal,
  };
}

await contend(async (task) => {
  const loop = runLoop(await runOf(task));
  let seq = 0;
  let step = await loop.next();
  while (step.done !== true) {
    step = await loop.next({ ...step.value, seq: ++seq, at: new Date().toISOString() });
  }
  if (step.value.kind !== 'finished')
    throw new Error(`the run ended: ${JSON.stringify(step.value)}`);
});
