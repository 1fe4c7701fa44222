// Helpers for all wires.
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Call, Message } from '../../../../../src/contracts/model.ts';

/** Text, or a list of parts, some of them text. */
export const Content = z
  .union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))])
  .nullish();

/** The texts of the parts, separately, because a client may merge two messages of one role. */
export function textsOf(content: z.output<typeof Content>): string[] {
  if (typeof content === 'string') return [content];
  return (content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text]));
}

export const textOf = (content: z.output<typeof Content>): string => textsOf(content).join('');

export const user = (text: string): Message => ({ role: 'user', text });

export const result = (id: string, output: string, ok = true): Message => ({
  role: 'results',
  results: [{ id, tool: '', ok, output }],
});

export const assistant = (text: string, calls: readonly Call[], opaque?: unknown): Message => ({
  role: 'assistant',
  text,
  calls,
  native: opaque === undefined ? null : { key: '', value: opaque },
});

/** A call that the client sent back. Arguments that are not JSON stay text. */
export function callOf(id: string | undefined, tool: string, json: string): Call {
  return { ...(id === undefined ? {} : { id }), tool, arguments: readJson(json) };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The arguments of a call as an object; `undefined` if they are incomplete. */
export function argumentsOf({ json }: { json: string }): unknown {
  const value = readJson(json);
  return typeof value === 'object' ? value : undefined;
}

/** Merges consecutive messages of results into one, as the agent has them. */
export function withResultsJoined(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'results' && last?.role === 'results')
      joined.splice(-1, 1, { ...last, results: [...last.results, ...message.results] });
    else joined.push(message);
  }
  return joined;
}

const PIECE_CHARACTERS = 40;
const PIECE = new RegExp(`[^]{1,${PIECE_CHARACTERS}}`, 'gu');

/** Splits text into pieces for streaming, without splitting a character. */
export const piecesOf = (text: string): readonly string[] => text.match(PIECE) ?? [];

/** A server-sent event; the name is optional. */
export const serverSent = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** Reads the key from its own header, or from a bearer token. */
export const hasKeyIn =
  (name: string) =>
  (headers: IncomingHttpHeaders): boolean =>
    /^\S+$/.test(String(headers[name] ?? '')) || /^Bearer \S+$/.test(headers.authorization ?? '');
