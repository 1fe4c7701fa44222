// The floor: a loop written by hand for this task alone, on bare fetch.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { contend } from './contend.ts';
import { doneWith, KEY, MODEL, PROMPT, SYSTEM, TOOL } from './task.ts';

interface Call {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; arguments: string };
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly tool_calls?: readonly Call[] } }[];
}

const tools = [
  {
    type: 'function',
    function: {
      name: TOOL.name,
      description: TOOL.description,
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: TOOL.path },
          content: { type: 'string', description: TOOL.content },
        },
        required: ['path', 'content'],
      },
    },
  },
];

function callOf(stream: string): Call | undefined {
  let call: Call | undefined;
  for (const line of stream.split('\n')) {
    if (!line.startsWith('data: {')) continue;
    const { choices } = JSON.parse(line.slice('data: '.length)) as Chunk;
    const delta = choices[0]?.delta.tool_calls?.[0];
    if (delta === undefined) continue;
    if (call === undefined) call = { id: delta.id, type: delta.type, function: delta.function };
    else call.function.arguments += delta.function.arguments;
  }
  return call;
}

await contend(async ({ baseUrl, directory }) => {
  const messages: object[] = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: PROMPT },
  ];
  for (;;) {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      body: JSON.stringify({
        model: MODEL,
        messages,
        tools,
        stream: true,
        stream_options: { include_usage: true },
      }),
    });
    const call = callOf(await response.text());
    if (call === undefined) return;
    const given = JSON.parse(call.function.arguments) as { path: string; content: string };
    const bytes = Buffer.from(given.content);
    await writeFile(path.join(directory, given.path), bytes);
    messages.push(
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: doneWith(given.path, bytes.length) },
    );
  }
});
