// What a server answered, as text for the model.
import { isDeepStrictEqual } from 'node:util';
import { isSpecType, type ContentBlock } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { withoutInvisible } from '../lib/text/invisible.ts';
import { unlessItFails } from '../lib/errors.ts';
import { cutMiddle } from '../lib/text/text.ts';
import { isSchemaObject, plainLine, type Redact } from './made-safe.ts';

const MAX_TEXT = 16_000;
const MAX_PARTS = 100;
const MAX_NAME = 200;
/** Characters that are looked at for each one that is shown: some may be invisible. */
const LOOKED_AT = 4;

/** Parts are checked one by one: one that is malformed does not fail a call that took effect. */
export const serverResultSchema = z.object({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});
export type ServerResult = z.infer<typeof serverResultSchema>;

/** The text of a result, bounded; what is no text is said to be left out. */
export function resultText({ content, structuredContent }: ServerResult, redact: Redact): string {
  const given = content.slice(0, MAX_PARTS);
  const parts = given.map(partText);
  const more = content.length - parts.length;
  if (more > 0) parts.push(`(${more} more parts were left out)`);
  if (
    structuredContent !== undefined &&
    !given.some((part) => saysTheSame(part, structuredContent))
  )
    parts.push(JSON.stringify(structuredContent, null, 1));
  const text = parts.join('\n').trim();
  return text === '' ? '(no output)' : bounded(text, redact);
}

const bounded = (text: string, redact: Redact): string =>
  cutMiddle(redact(withoutInvisible(cutMiddle(text, MAX_TEXT * LOOKED_AT))), MAX_TEXT);

/** Servers of older clients' time repeat structured data as text. */
function saysTheSame(part: unknown, data: unknown): boolean {
  if (!isSchemaObject(part) || typeof part['text'] !== 'string') return false;
  const { text } = part;
  return isDeepStrictEqual(
    unlessItFails((): unknown => JSON.parse(String(text))),
    data,
  );
}

function partText(part: unknown): string {
  if (isSpecType.ContentBlock(part)) return blockText(part);
  const { type } = isSchemaObject(part) ? part : {};
  const words = 'a malformed part, or one of an unknown type';
  return leftOut(typeof type === 'string' ? `${words} (${type})` : words);
}

function blockText(part: ContentBlock): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return leftOut(`${part.type === 'image' ? 'an image' : 'audio'}, ${part.mimeType}`);
    case 'resource_link':
      return `(a link to ${plainLine(`${part.name}: ${part.uri}`, MAX_NAME)}; resources of servers cannot be read)`;
    case 'resource': {
      const { resource } = part;
      return 'text' in resource
        ? `${plainLine(resource.uri, MAX_NAME)}:\n${resource.text}`
        : leftOut(`a binary resource, ${resource.uri}`);
    }
    default:
      return part satisfies never;
  }
}

const leftOut = (what: string): string =>
  `(${plainLine(what, MAX_NAME)}: left out, because only text can be passed on)`;
