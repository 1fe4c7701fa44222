// The suggestions of a review comment: blocks of code in the language `suggestion`.
import { codeBlocks } from './parser.ts';

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  /** The new lines, each with its line break; '' removes the lines. */
  | { readonly kind: 'suggestion'; readonly lines: string };

/** A comment in parts, in their order. */
export function partsOf(body: string): Part[] {
  const lines = body.split('\n');
  const text = (from: number, to?: number): Part[] => {
    const words = lines.slice(from, to).join('\n');
    return words.trim() === '' ? [] : [{ kind: 'text', text: words }];
  };
  const parts: Part[] = [];
  let next = 0;
  for (const {
    language,
    content,
    lines: [from, to],
  } of codeBlocks(body)) {
    if (language !== 'suggestion') continue;
    parts.push(...text(next, from), { kind: 'suggestion', lines: content });
    next = to;
  }
  return [...parts, ...text(next)];
}
