// What is published of texts by a hostile model, looked through by a check that knows nothing of ours.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { quotation, unquoted } from '../../../src/session/texts/markdown.ts';
import { asGitHubShows, checkBy, published } from '../../support/publishing.ts';
import { writtenMix } from './written-mixes.ts';

type Render = (markdown: string) => string;
type Node = DefaultTreeAdapterTypes.ChildNode;

const RENDERER = '/usr/bin/cmark-gfm';
const OPTIONS = '--unsafe -e footnotes -e table -e strikethrough -e autolink -e tasklist'.split(
  ' ',
);

function cmark(input: string): string {
  const { stdout, status } = spawnSync(RENDERER, OPTIONS, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${RENDERER} ended with ${status}`);
  return stdout;
}

/** `&#64;` is a character, not an issue, and `_#7` is an emphasis, not another repository's. */
const CLOSES =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b(?:[^\w→#]|_|&nbsp;)+((?:[a-z\d.-][\w./-]*)?)(?<!&)#(\d+)/gi;
const LEADS_AWAY =
  /^\s*(?:(?!https?:|mailto:[^?]*$)[a-z]+:|(?:https?:)?[/\\]{2}(?!github\.com(?![\w.@:-])))/i;
const NOTIFIES = /(?:^|[^\w＠])@(?!me\b(?![\w/-]))[a-z\d]/i;
const RUNS = /^(?:script|style|iframe|object|embed|form|video|audio|source|picture|link|meta)$/;

/** What has an effect in a published text, as source and as rendered; `undefined` if nothing has. */
export function acts(text: string, html: string): string | undefined {
  if (/<[!?]/.test(text)) return 'a comment';
  for (const [found, repository, number] of text.matchAll(CLOSES))
    if (number !== '7' || repository !== '') return found;
  return actsIn(parseFragment(html).childNodes, false);
}

function actsIn(nodes: readonly Node[], isCode: boolean): string | undefined {
  for (const node of nodes) {
    if (node.nodeName === '#comment') return 'a comment';
    if ('value' in node && !isCode && NOTIFIES.test(node.value)) return node.value;
    if (!('tagName' in node)) continue;
    if (RUNS.test(node.tagName)) return node.tagName;
    const away = node.attrs.find(
      ({ name, value }) =>
        !/^(?:alt|class|style|title|data-(?!canonical)[\w-]*)$/.test(name) &&
        LEADS_AWAY.test(withoutEscapes(value)),
    );
    if (away !== undefined) return `${away.name}=${away.value}`;
    const isMail = node.attrs.some(({ value }) => value.startsWith('mailto:'));
    const found = actsIn(node.childNodes, isCode || isMail || /^(?:code|pre)$/.test(node.tagName));
    if (found !== undefined) return found;
  }
  return undefined;
}

function withoutEscapes(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

/** What acts of so many texts from a seed on, and what is another when it is published again. */
async function faults(seed: number, count: number, render: Render): Promise<unknown[]> {
  const found: unknown[] = [];
  const gate = { check: checkBy(render) };
  const allowed = { mentions: ['me'], closes: 7, gate };
  for (let at = seed; at < seed + count; at += 1) {
    const text = writtenMix(at);
    const section = at % 2 === 0 ? quotation(text, 5000) : unquoted(text);
    const once = await published(['Our own words.', section], allowed);
    const fault = acts(once, render(once));
    if (fault !== undefined) found.push({ text, once, fault });
    if (at % 2 === 0) continue;
    const again = await published([unquoted(once)], allowed);
    if (again !== once) found.push({ text, once, again });
  }
  return found;
}

/** Texts from a seed on: by the local GitHub, and by GitHub's own Markdown renderer if it is installed. */
export function describeWritten(seed: number, count: number): void {
  const canRender = existsSync(RENDERER);
  describe(`of ${count} texts that a hostile model wrote`, () => {
    it('can be tested beside the renderer of GitHub', () => {
      if (!canRender) process.stderr.write(`skipped: there is no ${RENDERER}\n`);
      expect(canRender || process.env['CI'] === undefined).toBe(true);
    });
    const test = canRender ? it : it.skip;
    test('nothing that is published acts, as cmark-gfm shows it', async () => {
      expect(await faults(seed, count, cmark)).toEqual([]);
    }, 3_600_000);
    it('nothing that is published acts, as the local GitHub shows it', async () => {
      expect(await faults(seed, count, asGitHubShows)).toEqual([]);
    }, 3_600_000);
  });
}
