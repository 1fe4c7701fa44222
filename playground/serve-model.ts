import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { firstSignal } from '../src/commands/command.ts';
import { messageOf } from '../src/lib/errors.ts';
import type { PlaygroundCommand } from './command.ts';
import { Script } from './model/script.ts';
import { startModelServer } from './model/server.ts';
import { SAMPLE } from './sample/index.ts';

export const model: PlaygroundCommand = {
  name: 'model',
  summary: 'a model server that follows a script: npm run model -- [SCRIPT.json …] [--port N]',
  run: async ({ arguments: args, print }) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { port: { type: 'string', default: '0' } },
    });
    const read = await Promise.all(positionals.map(readScript));
    const stopped = firstSignal();
    const scripts = read.length === 0 ? [SAMPLE.script] : read;
    const server = await startModelServer({ scripts, port: Number(values.port) });
    print(`The model follows ${positionals.join(', ') || 'the script of the demo'}. For the service:

MODEL=openai:scripted
OPENAI_API_KEY=none
OPENAI_BASE_URL=${server.url}/v1
`);
    await stopped;
    await server.close();
    return 0;
  },
};

async function readScript(path: string): Promise<Script> {
  try {
    return Script.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new Error(`cannot read the script ${path}: ${messageOf(error)}`, { cause: error });
  }
}
