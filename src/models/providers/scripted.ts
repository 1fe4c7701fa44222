import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { ModelRequest } from '../../contracts/model.ts';
import { ContextOverflow, ToolsRefused } from '../../agent/model-errors.ts';
import type { Played, PlayedReply } from '../../../playground/model/script-player.ts';
import { ScriptPlayer } from '../../../playground/model/script-player.ts';
import { Script } from '../../../playground/model/script.ts';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import type { Provider, UnpricedReply } from '../provider.ts';

const variables = z.object({});

/** A model that says what a file holds, for trials and tests: `scripted:path/to/script.json`. */
export const scripted: Provider<typeof variables> = {
  name: 'scripted',
  variables,
  secrets: () => [],
  isFree: () => true,
  destination: () => 'nobody: a script on this machine answers',
  open: async (path) => {
    const player = new ScriptPlayer([await readScript(path)]);
    return {
      callsTools: true,
      reply: (request) => answer(player.next(asked(request)), request),
    };
  },
};

async function readScript(path: string) {
  try {
    return Script.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new Error(`the script ${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

const asked = ({ system, messages, tools }: ModelRequest) => ({
  system,
  messages,
  hasTools: tools.length > 0,
  bytes: Buffer.byteLength(JSON.stringify({ system, messages, tools })),
});

async function answer(played: Played, request: ModelRequest): Promise<UnpricedReply> {
  switch (played.kind) {
    case 'reply':
      return said(played, request);
    case 'summary':
      return replyOf(played.text, request);
    case 'tools_refused':
      throw new ToolsRefused('the script refuses tools');
    case 'too_long':
      throw new ContextOverflow(`the script reads ${played.limit} bytes at most`);
    case 'refusal':
      throw new TellPerson(`The script has no reply: ${played.words}.`);
  }
}

async function said(played: PlayedReply, request: ModelRequest): Promise<UnpricedReply> {
  const { text, calls, reasoning, delayMs, trouble } = played;
  const { signal } = request;
  signal.throwIfAborted();
  await sleep(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  switch (trouble?.kind) {
    case 'status':
      throw refused(trouble.status);
    case 'die':
      throw new TryLater('the script breaks off here');
    case 'cut':
      return { ...replyOf(text.slice(0, Math.ceil(text.length / 2)), request), stop: 'cut' };
    case undefined:
      return { ...replyOf(text, request), reasoning, calls };
  }
}

function refused(status: number): Error {
  const passes = status === 408 || status === 429 || status >= 500;
  return passes
    ? new TryLater(`the script answers ${status}`)
    : new TellPerson(`The script refuses the request (${status}).`);
}

const BYTES_PER_TOKEN = 4;

function replyOf(text: string, request: ModelRequest): UnpricedReply {
  const input = Math.ceil(asked(request).bytes / BYTES_PER_TOKEN);
  const output = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
  return {
    text,
    reasoning: '',
    calls: [],
    stop: 'end',
    usage: { input, cached: 0, written: 0, output, reasoning: 0 },
    native: null,
  };
}
