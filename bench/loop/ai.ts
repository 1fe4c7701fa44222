// The AI SDK's generateText.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';
import { contend } from './contend.ts';
import { doneWith, KEY, MODEL, PROMPT, SYSTEM, TOOL } from './task.ts';

await contend(async ({ baseUrl, turns, directory }) => {
  const provider = createOpenAICompatible({ name: 'stub', baseURL: baseUrl, apiKey: KEY });
  await generateText({
    model: provider(MODEL),
    instructions: SYSTEM,
    prompt: PROMPT,
    tools: {
      [TOOL.name]: tool({
        description: TOOL.description,
        inputSchema: z.object({
          path: z.string().describe(TOOL.path),
          content: z.string().describe(TOOL.content),
        }),
        execute: async (given) => {
          const bytes = Buffer.from(given.content);
          await writeFile(path.join(directory, given.path), bytes);
          return doneWith(given.path, bytes.length);
        },
      }),
    },
    stopWhen: isStepCount(turns + 1),
    maxRetries: 0,
  });
});
