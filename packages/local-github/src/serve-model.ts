import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { firstSignal } from '../../../src/commands/command.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import type { PlaygroundCommand } from './command.ts';
import { listenOnPort } from './listen-on-port.ts';
import { Script } from './model/script.ts';
import { startModelServer } from './model/server.ts';
import { SAMPLE } from './sample/index.ts';
import { spellCommand } from '../../../src/lib/program-name.ts';

const PORT = 3457;
/** The replies cost nothing: a service that knows so limits what they cost, and warns of nothing. */
export const SCRIPT_PRICES = fileURLToPath(new URL('model/prices.json', import.meta.url));

export const model: PlaygroundCommand = {
  name: 'model',
  summary: `a model server that follows a script, or a person: ${spellCommand('model')} [SCRIPT.json …|--hand DIR] [--port N]`,
  run: async ({ arguments: args, print }) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { port: { type: 'string' }, hand: { type: 'string' } },
    });
    const read = await Promise.all(positionals.map(readScript));
    const stopped = firstSignal();
    const { hand } = values;
    const scripts = read.length === 0 ? [SAMPLE.script] : read;
    const played = hand === undefined ? scripts : await handPlayed(hand);
    const server = await listenOnPort(values.port, PORT, {
      start: (port) => startModelServer({ scripts: played, port }),
      print,
    });
    const followed = positionals.join(', ') || 'the script of the demo';
    const who =
      hand === undefined
        ? `The model follows ${followed}.`
        : `Requests wait in ${hand} for replies: ${spellCommand('play')} ${hand} next`;
    print(`${who} For the service:

MODEL=openai:scripted
OPENAI_API_KEY=none
OPENAI_BASE_URL=${server.url}/v1
MODEL_CATALOG=${SCRIPT_PRICES}
`);
    await stopped;
    await server.close();
    return 0;
  },
};

/** Loaded only then: it counts tokens, and the package has no tables for that. */
async function handPlayed(directory: string) {
  const { HandPlayedModel } = await import('./model/hand-played-model.ts');
  return new HandPlayedModel(directory);
}

async function readScript(path: string): Promise<Script> {
  try {
    return Script.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new Error(`cannot read the script ${path}: ${reason}`, { cause: error });
  }
}
