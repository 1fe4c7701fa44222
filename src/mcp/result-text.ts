// What a server answered, as text for the model.
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { withoutInvisible } from '../lib/invisible.ts';
import { cutMiddle } from '../lib/text.ts';
import { plainLine, type Redact } from './plain-line.ts';

const MAX_TEXT = 16_000;
const MAX_PARTS = 100;
const MAX_NAME = 200;
/** Characters that are looked at for each one that is shown: some may be invisible. */
const LOOKED_AT = 4;

/** The text of a result, bounded; what is no text is said to be left out. */
export function resultText(
  { content = [], structuredContent }: Partial<CallToolResult>,
  redact: Redact,
): string {
  const parts = content.slice(0, MAX_PARTS).map(partText);
  const more = content.length - parts.length;
  if (more > 0) parts.push(`(${more} more parts were left out)`);
  if (parts.length === 0 && structuredContent !== undefined)
    parts.push(JSON.stringify(structuredContent, null, 1));
  const text = parts.join('\n').trim();
  return text === '' ? '(no output)' : bounded(text, redact);
}

const bounded = (text: string, redact: Redact): string =>
  cutMiddle(redact(withoutInvisible(cutMiddle(text, MAX_TEXT * LOOKED_AT))), MAX_TEXT);

/** Parts come from a server: they may be of any type. */
function partText(part: ContentBlock): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return leftOut(`${part.type === 'image' ? 'an image' : 'audio'}, ${part.mimeType}`);
    case 'resource_link':
      return `(a link to ${plainLine(`${part.name}: ${part.uri}`, MAX_NAME)})`;
    case 'resource': {
      const { resource } = part;
      return 'text' in resource
        ? `${plainLine(resource.uri, MAX_NAME)}:\n${resource.text}`
        : leftOut(`a binary resource, ${resource.uri}`);
    }
    default:
      return leftOut('a part of an unknown type');
  }
}

const leftOut = (what: string): string =>
  `(${plainLine(what, MAX_NAME)}: left out, because only text can be passed on)`;
