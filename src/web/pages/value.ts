import type { Rendering, ToolRendering } from '../../contracts/tool.ts';
import { html, type Html } from '../../lib/text/html.ts';
import { changed, codeLines, diff } from './code.ts';
import { longMarkdown } from './markdown.ts';
import { long, longCode } from './text.ts';

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

type Named = ToolRendering['arguments'];

/** The arguments of a call, each with its name. */
export function argumentsOf(key: string, value: unknown, named: Named = {}): Html {
  if (!isObject(value) || Array.isArray(value))
    return labelled('Arguments', longCode(`${key}-arguments`, jsonText(value)));
  return parts(key, value, 'plain', named, 0);
}

/** A text in its rendering. Lists and objects are shown part by part if a part has a rendering, else as JSON. */
function shown(key: string, value: unknown, how: Rendering, named: Named, depth: number): Html {
  if (typeof value === 'string') return renderText(key, value, how);
  if (!isObject(value)) return html`<div class="mono">${jsonText(value)}</div>`;
  const isOpened =
    depth < MAX_DEPTH &&
    Object.keys(value).length <= MAX_PARTS &&
    (how !== 'plain' || holdsNamed(value, named, depth));
  return isOpened ? parts(key, value, how, named, depth) : longCode(key, jsonText(value));
}

const holdsNamed = (value: object, named: Named, depth: number): boolean =>
  depth < MAX_DEPTH &&
  Object.entries(value)
    .slice(0, MAX_PARTS)
    .some(
      ([name, part]) =>
        Object.hasOwn(named, name) || (isObject(part) && holdsNamed(part, named, depth + 1)),
    );

/** Parts without their own rendering use that of the whole value. */
function parts(key: string, value: object, how: Rendering, named: Named, depth: number): Html {
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
