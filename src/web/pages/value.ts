import type { Rendering, ToolRendering } from '../../contracts/tool.ts';
import { html, type Html } from '../../lib/text/html.ts';
import { longMarkdown } from './markdown.ts';
import { long, longCode } from './text.ts';
import { hunkHeader } from '../../lib/text/unified-diff.ts';

/** By the name of the tool. Tools without an entry are shown as plain text. */
export type Renderings = ReadonlyMap<string, ToolRendering>;

const MAX_PARTS = 100;
const MAX_DEPTH = 3;

const SHOW: Readonly<Record<Rendering, (key: string, text: string) => Html>> = {
  path: (key, text) => long(key, text, (part) => html`<div class="mono text">${part}</div>`),
  code: (key, text) => long(key, text, codeLines),
  diff: (key, text) => long(key, text, diff),
  removed: (key, text) => long(key, text, (part) => changed('removed', part)),
  added: (key, text) => long(key, text, (part) => changed('added', part)),
  prose: longMarkdown,
  plain: longCode,
};

/** A text in the given rendering. `key` must be unique on the page. */
export const renderText = (key: string, content: string, how: Rendering = 'plain'): Html =>
  SHOW[how](key, content);

type ArgumentRendering = ToolRendering['arguments'];

/** The arguments of a call, each with its name. */
export function argumentsOf(key: string, value: unknown, named: ArgumentRendering = {}): Html {
  if (!isObject(value) || Array.isArray(value))
    return labelled('Arguments', longCode(`${key}-arguments`, jsonText(value)));
  return parts(key, value, 'plain', named, 0);
}

/** A text in its rendering. Lists and objects are shown part by part if a part has a rendering, else as JSON. */
function shown(
  key: string,
  value: unknown,
  how: Rendering,
  named: ArgumentRendering,
  depth: number,
): Html {
  if (typeof value === 'string') return renderText(key, value, how);
  if (!isObject(value)) return html`<div class="mono">${jsonText(value)}</div>`;
  const isOpened =
    depth < MAX_DEPTH &&
    Object.keys(value).length <= MAX_PARTS &&
    (how !== 'plain' || holdsNamed(value, named, depth));
  return isOpened ? parts(key, value, how, named, depth) : longCode(key, jsonText(value));
}

const holdsNamed = (value: object, named: ArgumentRendering, depth: number): boolean =>
  depth < MAX_DEPTH &&
  Object.entries(value)
    .slice(0, MAX_PARTS)
    .some(
      ([name, part]) =>
        Object.hasOwn(named, name) || (isObject(part) && holdsNamed(part, named, depth + 1)),
    );

/** Parts without their own rendering use that of the whole value. */
function parts(
  key: string,
  value: object,
  how: Rendering,
  named: ArgumentRendering,
  depth: number,
): Html {
  const isList = Array.isArray(value);
  const each = Object.entries(value).map(([name, part]: [string, unknown], at) => {
    const own = Object.hasOwn(named, name) ? named[name] : undefined;
    const content = shown(`${key}-${at}`, part, own ?? how, named, depth + 1);
    return isList ? html`<div>${content}</div>` : labelled(name, content);
  });
  return depth === 0
    ? html`${each}`
    : html`<div class="${isList ? 'list' : 'parts'}">${each}</div>`;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export const labelled = (label: string, content: Html | string): Html =>
  html`<div>
    <div class="label">${label}</div>
    ${content}
  </div>`;

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2) ?? String(value);

// Code and diffs with a style for each line. Texts with too many lines are shown without styles.

const MAX_LINES = 2500;

/** Code. If it is a listing (number, tab, line), the numbers are shown beside the lines. */
const codeLines = (text: string): Html =>
  byLine(text, 'code', (lines) => {
    const isListing = lines.some((line) => NUMBERED.test(line));
    return isListing ? lines.map(listed) : undefined;
  });

const NUMBERED = /^ *(\d+)\t(.*)$/s;

function listed(line: string): Html {
  const [, number, content] = NUMBERED.exec(line) ?? [];
  if (number === undefined) return html`<div class="about">${line}</div>`;
  return html`<div class="line"><span class="number">${number}</span><span>${content}</span></div>`;
}

/** Text of which every line was removed or added. */
const changed = (kind: 'removed' | 'added', text: string): Html =>
  text === ''
    ? html`<div class="faint">nothing</div>`
    : byLine(text, 'diff edit', (lines) => lines.map((line) => row(kind, line)));

/** A unified diff of one or more files. */
export const diff = (text: string): Html =>
  byLine(text, 'diff', (lines) => {
    const kindOf = kindOfLine();
    return lines.map((line) => row(kindOf(line), line));
  });

function byLine(
  text: string,
  kind: string,
  show: (lines: readonly string[]) => readonly Html[] | undefined,
): Html {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const rows = lines.length > MAX_LINES ? undefined : show(lines);
  return rows === undefined
    ? html`<pre>${text}</pre>`
    : html`<div class="${kind} mono">${rows}</div>`;
}

const row = (kind: Kind, line: string): Html => html`<div class="${kind}">${line}</div>`;

type Kind = 'removed' | 'added' | 'same' | 'hunk' | 'about';

/** Counts the lines of each hunk, because a removed line `-- x` looks like the header of a file. */
function kindOfLine(): (line: string) => Kind {
  let [before, after] = [0, 0];
  return (line) => {
    if (before <= 0 && after <= 0) {
      const hunk = hunkHeader(line);
      if (hunk === undefined) return 'about';
      [before, after] = [hunk.oldLines, hunk.newLines];
      return 'hunk';
    }
    if (line.startsWith('\\')) return 'about';
    if (!line.startsWith('+')) before -= 1;
    if (!line.startsWith('-')) after -= 1;
    if (line.startsWith('+')) return 'added';
    return line.startsWith('-') ? 'removed' : 'same';
  };
}
