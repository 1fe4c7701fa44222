// What the wires have in common.
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Call, Message } from '../../../src/contracts/model.ts';

/** Text, or parts of which some have text. */
export const Content = z
  .union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))])
  .nullish();

/** Each part apart: a client may put two messages of one role into one. */
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

/** A call as it came back; arguments that are no JSON stay the text they are. */
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

/** The arguments of a call as an object; `undefined` where they were cut. */
export function argumentsOf({ json }: { json: string }): unknown {
  const value = readJson(json);
  return typeof value === 'object' ? value : undefined;
}

/** Neighbours that are results become one message, as the agent has them. */
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

/** Text in the pieces in which it is streamed; no character is torn. */
export const piecesOf = (text: string): readonly string[] => text.match(PIECE) ?? [];

/** A server-sent event, with a name or without. */
export const serverSent = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** A key in a header of its own, or as a bearer's. */
export const hasKeyIn =
  (name: string) =>
  (headers: IncomingHttpHeaders): boolean =>
    /^\S+$/.test(String(headers[name] ?? '')) || /^Bearer \S+$/.test(headers.authorization ?? '');
