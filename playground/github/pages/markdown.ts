// A small, safe Markdown: the part of it that issues and comments use. Raw HTML is escaped, apart
// from <details> and a few harmless tags; HTML comments are hidden.
import { Html, escapeHtml } from './html.ts';
import { renderInline } from './markdown-inline.ts';

const MAX_DEPTH = 8;

/** `base` is the address of the repository's page. */
export function renderMarkdown(text: string, base: string): Html {
  const lines = withoutComments(text.replaceAll('\r\n', '\n')).split('\n');
  return new Html(renderBlocks(lines, base, 0));
}

const END = String.raw`$(?![\s\S])`;
const FENCED = String.raw`^ {0,3}(?<mark>\x60{3,16}(?!\x60)|~{3,16}(?!~))[^\n]*\n[\s\S]*?(?:^ {0,3}\k<mark>|${END})`;
const HIDDEN = String.raw`<!--[\s\S]*?(?:-->|${END})`;
const FENCED_OR_HIDDEN = new RegExp(`${FENCED}|${HIDDEN}`, 'gm');

/** HTML comments go, but not those in code. */
const withoutComments = (text: string): string =>
  text.replaceAll(FENCED_OR_HIDDEN, (found) => (found.startsWith('<!--') ? '' : found));

/** Takes what it can from line `at` on: how many lines, and the HTML that they make. */
type Block = (
  lines: string[],
  at: number,
  base: string,
  depth: number,
) => [number, string] | undefined;

const BLOCKS: readonly Block[] = [blank, fence, heading, rule, details, quote, list, table];

function renderBlocks(lines: string[], base: string, depth: number): string {
  const result: string[] = [];
  let open = 0;
  for (let at = 0; at < lines.length;) {
    const [taken, text] = takeBlock(lines, at, base, depth);
    const isEnd = text === DETAILS_END;
    if (text === DETAILS_START) open += 1;
    if (!isEnd || open > 0) result.push(text);
    if (isEnd && open > 0) open -= 1;
    at += taken;
  }
  return result.join('') + DETAILS_END.repeat(open);
}

function takeBlock(lines: string[], at: number, base: string, depth: number): [number, string] {
  if (depth < MAX_DEPTH)
    for (const block of BLOCKS) {
      const found = block(lines, at, base, depth);
      if (found !== undefined) return found;
    }
  return paragraph(lines, at, base, depth);
}

function blank(lines: string[], at: number): [number, string] | undefined {
  return lines[at]?.trim() === '' ? [1, ''] : undefined;
}

function fence(lines: string[], at: number): [number, string] | undefined {
  const mark = /^ {0,3}(```+|~~~+)/.exec(lines[at] ?? '')?.[1];
  if (mark === undefined) return undefined;
  const count = countWhile(lines, at + 1, (line) => !line.trim().startsWith(mark));
  const code = lines.slice(at + 1, at + 1 + count).join('\n');
  return [count + 2, `<pre><code>${escapeHtml(code)}</code></pre>`];
}

function heading(lines: string[], at: number, base: string): [number, string] | undefined {
  const match = /^ {0,3}(#{1,6}) +(\S.*)$/.exec(lines[at] ?? '');
  if (match === null) return undefined;
  const level = match[1]?.length ?? 1;
  const text = (match[2] ?? '').trimEnd().replace(/ #{1,6}$/, '');
  return [1, `<h${level}>${renderInline(text, base)}</h${level}>`];
}

function rule(lines: string[], at: number): [number, string] | undefined {
  return /^ {0,3}([-*_])( *\1){2,} *$/.test(lines[at] ?? '') ? [1, '<hr>'] : undefined;
}

const DETAILS_START = '<details>';
const DETAILS_END = '</details>';

/** `<details>`, its summary, and its end, each on its own line or together at a line's start. */
function details(lines: string[], at: number, base: string): [number, string] | undefined {
  const line = lines[at] ?? '';
  const match = /^\s*(<details(?: open)?>|<\/details>|<summary>(.*?)<\/summary>)\s*/i.exec(line);
  if (match === null) return undefined;
  const rest = line.slice(match[0].length);
  lines[at] = rest;
  const taken = rest === '' ? 1 : 0;
  if (match[2] !== undefined) return [taken, `<summary>${renderInline(match[2], base)}</summary>`];
  return [taken, match[1]?.startsWith('</') === true ? DETAILS_END : DETAILS_START];
}

function quote(
  lines: string[],
  at: number,
  base: string,
  depth: number,
): [number, string] | undefined {
  const count = countWhile(lines, at, (line) => /^ {0,3}>/.test(line));
  if (count === 0) return undefined;
  const inner = lines.slice(at, at + count).map((line) => line.replace(/^ {0,3}> ?/, ''));
  return [count, `<blockquote>${renderBlocks(inner, base, depth + 1)}</blockquote>`];
}

const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/;

function list(
  lines: string[],
  at: number,
  base: string,
  depth: number,
): [number, string] | undefined {
  const first = ITEM.exec(lines[at] ?? '')?.[2];
  if (first === undefined) return undefined;
  const isOrdered = /\d/.test(first);
  const items: string[] = [];
  let end = at;
  for (let marker: string | undefined = first; marker !== undefined;) {
    const count = 1 + countWhile(lines, end + 1, belongsToItem);
    items.push(item(lines.slice(end, end + count), base, depth));
    end += count;
    end += countWhile(lines, end, (line) => line.trim() === '');
    marker = ITEM.exec(lines[end] ?? '')?.[2];
    if (marker !== undefined && /\d/.test(marker) !== isOrdered) marker = undefined;
  }
  const element = isOrdered ? 'ol' : 'ul';
  const start = isOrdered ? ` start="${Number.parseInt(first, 10)}"` : '';
  return [end - at, `<${element}${start}>${items.join('')}</${element}>`];
}

/** A line that is indented, or that goes on with the item's paragraph. */
function belongsToItem(line: string, before: string): boolean {
  if (/^( {2,}|\t)\S/.test(line)) return true;
  const isBlock = line.trim() === '' || ITEM.test(line) || STARTS_BLOCK.test(line);
  return !isBlock && before.trim() !== '';
}

function item(lines: string[], base: string, depth: number): string {
  const [line = '', ...rest] = lines;
  const text = line.replace(ITEM, '');
  const task = /^\[([ xX])\] +/.exec(text);
  const indent = Math.min(...rest.filter((one) => /^\s+\S/.test(one)).map(indentOf), 8);
  const inner = rest.map((one) => one.slice(Math.min(indent, indentOf(one))));
  const body = renderBlocks([text.slice(task?.[0].length ?? 0), ...inner], base, depth + 1);
  const content = body.replace(/^<p>([\s\S]*?)<\/p>/, '$1');
  if (task === null) return `<li>${content}</li>`;
  const checked = task[1] === ' ' ? '' : ' checked';
  return `<li class="task"><input type="checkbox" disabled${checked}> ${content}</li>`;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

function table(lines: string[], at: number, base: string): [number, string] | undefined {
  const marks = lines[at + 1] ?? '';
  if (!/^[ :|-]+$/.test(marks) || (!marks.includes('-|') && !marks.includes('- |')))
    return undefined;
  const count = countWhile(lines, at, (line) => line.includes('|'));
  if (count < 2) return undefined;
  const row = (line: string, element: string): string => {
    const cells = line
      .trim()
      .replaceAll(/^\||\|$/g, '')
      .split('|');
    const content = cells.map(
      (cell) => `<${element}>${renderInline(cell.trim(), base)}</${element}>`,
    );
    return `<tr>${content.join('')}</tr>`;
  };
  const body = lines.slice(at + 2, at + count).map((line) => row(line, 'td'));
  return [count, `<table>${row(lines[at] ?? '', 'th')}${body.join('')}</table>`];
}

const STARTS_BLOCK = /^ {0,3}(#{1,6} |>|```|~~~|<\/?details|<summary)/i;

function paragraph(lines: string[], at: number, base: string, depth: number): [number, string] {
  const isMore = (line: string): boolean =>
    line.trim() !== '' && (depth >= MAX_DEPTH || !(STARTS_BLOCK.test(line) || ITEM.test(line)));
  const count = 1 + countWhile(lines, at + 1, isMore);
  const text = lines.slice(at, at + count).map((line) => line.trim());
  return [count, `<p>${renderInline(text.join('\n'), base).replaceAll('\n', '<br>\n')}</p>`];
}

/** How many lines from `from` on pass the test, which also sees the line before. */
function countWhile(
  lines: readonly string[],
  from: number,
  test: (line: string, before: string) => boolean,
): number {
  let end = from;
  while (end < lines.length && test(lines[end] ?? '', lines[end - 1] ?? '')) end += 1;
  return end - from;
}
