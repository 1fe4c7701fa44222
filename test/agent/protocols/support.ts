import { z } from 'zod';
import type { Reply } from '../../../src/contracts/entries.ts';
import type {
  CallOutcome,
  Protocol,
  ReplyReading,
  ReceivedReply,
  Turn,
} from '../../../src/agent/protocols/protocol.ts';
import type { Tool } from '../../../src/contracts/tool.ts';
import { zodArguments } from '../../../src/tools/define-tool.ts';

/** A reply of a model, as far as protocols look at it. */
export const replyOf = (text: string, parts: Partial<ReceivedReply> = {}): ReceivedReply => ({
  text,
  reasoning: '',
  calls: [],
  stop: 'end',
  tools: [TOOL],
  ...parts,
});

export const NATIVE = { key: 'test', value: ['opaque'] };
export const ok = (output: string): CallOutcome => ({ ok: true, output });
export const failed = (output: string): CallOutcome => ({ ok: false, output });

/** A turn as the journal holds it: a reply as this protocol read it, with what came of its calls. */
export function turnOf(
  protocol: Protocol,
  said: ReceivedReply,
  outcomes: readonly CallOutcome[] = [],
  parts: Partial<Reply> = {},
): Turn {
  return {
    reply: { ...storedReply(said, protocol.read(said)), protocol: protocol.name, ...parts },
    outcomes,
  };
}

const storedReply = (said: ReceivedReply, reading: ReplyReading) => ({
  type: 'reply' as const,
  seq: 7,
  text: said.text,
  ...reading,
  stop: said.stop,
  native: NATIVE,
  usage: { input: 1, cached: 0, written: 0, output: 1, reasoning: 0 },
  cost: null,
  durationMs: 1,
});

export const TOOL: Tool = {
  name: 'read_file',
  aliases: [],
  description: 'Reads a <file>.',
  arguments: zodArguments(z.object({ path: z.string() })),
  safety: 'safe',
  rendering: { arguments: {}, output: 'plain' },
  title: () => '',
  run: () => Promise.resolve({ output: '' }),
};
