// Texts in which one way of hiding is put into another, by a seed. What is hidden is so by construction:
// the outermost way hides all that is in it, since nothing in it holds what would end it.

/** Must not reach the model, in any mix. */
const MARKER = 'Zebrafish';
const FENCE = '```';

interface Way {
  readonly name: string;
  /** What would end it, and so show the rest. */
  readonly breaks: RegExp;
  readonly hide: (inner: string, number: number) => string;
}

const LINE = String.raw`\n`;
const never = (signs: string): RegExp => new RegExp(`${LINE}|${signs}`, 'i');

/** Each with what GitHub makes of it: nothing that a reader of the page sees. */
const WAYS: readonly Way[] = [
  { name: 'comment', breaks: /--!?>/, hide: (x) => `<!-- ${x} -->` },
  { name: 'comment in prose', breaks: never('--!?>'), hide: (x) => `word <!-- ${x} --> word` },
  { name: 'declaration', breaks: never('[<>]'), hide: (x) => `<!X ${x}>` },
  { name: 'instruction', breaks: never('[<>]'), hide: (x) => `<?x ${x}?>` },
  { name: 'character data', breaks: never('[<>]|]]'), hide: (x) => `a <![CDATA[${x}]]> b` },
  { name: 'hidden block', breaks: /<\/?div/i, hide: (x) => `<div hidden>\n\n${x}\n\n</div>` },
  {
    name: 'hidden span',
    breaks: never('</?span'),
    hide: (x) => `word <span style="display:none">${x}</span> word`,
  },
  {
    name: 'element that is never shown',
    breaks: never('</?template'),
    hide: (x) => `<template>${x}</template>`,
  },
  { name: 'attribute', breaks: never('"'), hide: (x) => `<b title="${x}">word</b>` },
  { name: 'description', breaks: never('[[\\]\\\\`<]'), hide: (x) => `![${x}](a.png)` },
  { name: 'title', breaks: never('["\\\\]'), hide: (x) => `[word](a.png "${x}")` },
  { name: 'definition', breaks: never('[()\\\\]'), hide: (x) => `[//]: # (${x})` },
  { name: 'footnote', breaks: never('```'), hide: (x, number) => `[^n${number}]: ${x}` },
  {
    name: 'beside a language',
    breaks: never('`'),
    hide: (x) => `${FENCE}js ${x}\ncode\n${FENCE}`,
  },
  {
    name: 'data of a map',
    breaks: never('`'),
    hide: (x) => `${FENCE}geojson\n{"a":"${x}"}\n${FENCE}`,
  },
  {
    name: 'comment of a diagram',
    breaks: never('`'),
    hide: (x) => `${FENCE}mermaid\ngraph TD\n%% ${x}\nA-->B\n${FENCE}`,
  },
  { name: 'formula', breaks: never('[$`\\\\{}]'), hide: (x) => `word $\\phantom{${x}}$ word` },
  { name: 'cell', breaks: never('[|`\\\\]'), hide: (x) => `| a |\n|---|\n| b | ${x} |` },
];

/** What GitHub shows, around what it does not. */
const AROUND: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll(/^/gm, '> '),
  (text) => `- ${text.replaceAll('\n', '\n  ')}`,
  (text) => `1. ${text.replaceAll('\n', '\n   ')}`,
  (text) => `word[^used]\n\n[^used]: word\n\n${text.replaceAll(/^/gm, '    ')}`,
  (text) => `<details>\n\n${text}\n\n</details>`,
  (text) => text.replaceAll('word', 'wo\u200Brd'),
];

const DEPTH = 5;

export interface Mix {
  readonly text: string;
  /** Words that every reader sees: they precede everything that hides something. */
  readonly shown: string;
}

/** A source of numbers below one, the same for the same seed. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What is hidden in one of the ways that can hold it; the marker where none can. */
function hidden(inner: string, next: () => number): string {
  const able = WAYS.filter(({ breaks }) => !breaks.test(inner));
  const way = able[Math.floor(next() * able.length)];
  return way === undefined ? inner : way.hide(inner, Math.floor(next() * 1e6));
}

function nested(depth: number, next: () => number): string {
  let text = hidden(MARKER, next);
  for (let level = 1; level < depth; level += 1) text = hidden(text, next);
  return text;
}

/** A few hidden parts, each in its own paragraphs, behind one that is shown. */
export function mix(seed: number): Mix {
  const next = numbers(seed);
  const parts = Array.from({ length: 1 + Math.floor(next() * 3) }, () => {
    const around = AROUND[Math.floor(next() * AROUND.length)];
    const text = nested(1 + Math.floor(next() * DEPTH), next);
    return around === undefined ? text : around(text);
  });
  return { text: ['Kingfisher', ...parts].join('\n\n'), shown: 'Kingfisher' };
}

/** Hidden as often as is asked for, each in the one before. */
export const deep = (seed: number, depth: number): string => nested(depth, numbers(seed));
