// @openai/agents over Chat Completions, without its tracing.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { z } from 'zod';
import { contend } from './contend.ts';
import { doneWith, KEY, MODEL, PROMPT, SYSTEM, TOOL } from './task.ts';

await contend(async ({ baseUrl, turns, directory }) => {
  const modelProvider = new OpenAIProvider({
    apiKey: KEY,
    baseURL: baseUrl,
    useResponses: false,
  });
  const agent = new Agent({
    name: 'Writer',
    instructions: SYSTEM,
    model: MODEL,
    tools: [
      tool({
        name: TOOL.name,
        description: TOOL.description,
        parameters: z.object({
          path: z.string().describe(TOOL.path),
          content: z.string().describe(TOOL.content),
        }),
        execute: async (given) => {
          const bytes = Buffer.from(given.content);
          await writeFile(path.join(directory, given.path), bytes);
          return doneWith(given.path, bytes.length);
        },
      }),
    ],
  });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  await runner.run(agent, PROMPT, { maxTurns: turns + 1 });
});
