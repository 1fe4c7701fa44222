// Markdown as GitHub shows it, by two renderers: the local GitHub's, and cmark-gfm, which GitHub's own comes from.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromParse5 } from 'hast-util-from-parse5';
import { defaultSchema, sanitize } from 'hast-util-sanitize';
import { toHtml } from 'hast-util-to-html';
import { parseFragment } from 'parse5';
import { renderMarkdown } from '../../packages/local-github/src/github/markdown/index.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const AROUND = {
  imageAddress: (address: string) => address,
  url: 'http://127.0.0.1',
  repository: 'example/greeter',
  findUser: (login: string) => login,
  findIssue: () => undefined,
};

export const renderedLocally = (text: string): string => renderMarkdown(text, 'gfm', AROUND);

const CMARK = '/usr/bin/cmark-gfm';
const OPTIONS =
  '--unsafe --hardbreaks -e footnotes -e table -e strikethrough -e autolink -e tasklist'.split(' ');

export const hasCmark = existsSync(CMARK);

const rendered = new Map<string, string>();
/** Of a shell, which starts the renderer far faster than the large process of the tests does. */
const RENDER_ALL = `for file in *.md; do "$0" "$@" "$file" > "\${file%.md}.html" || exit; done`;

/** Renders all of them with cmark-gfm at once, if it is installed: who asks for one of them afterwards has it. */
export function renderAhead(texts: readonly string[]): void {
  if (!hasCmark) return;
  const directory = temporaryDirectory();
  const file = (at: number, kind: string): string => join(directory, `${at}.${kind}`);
  for (const [at, text] of texts.entries()) writeFileSync(file(at, 'md'), text);
  execFileSync('sh', ['-c', RENDER_ALL, CMARK, ...OPTIONS], { cwd: directory });
  for (const [at, text] of texts.entries())
    rendered.set(text, readFileSync(file(at, 'html'), 'utf8'));
}

/** With the HTML of the text as it is: as if GitHub let all of it through. */
export function renderedUnsafely(text: string): string {
  const known = rendered.get(text);
  if (known !== undefined) return known;
  const { stdout, status } = spawnSync(CMARK, OPTIONS, { input: text, encoding: 'utf8' });
  if (status !== 0) throw new Error(`cmark-gfm ended with ${status}`);
  return stdout;
}

const SCHEMA = {
  ...defaultSchema,
  attributes: {
    ...defaultSchema.attributes,
    code: [['className', /^language-./] as [string, RegExp]],
    section: ['dataFootnotes'],
    a: [...(defaultSchema.attributes?.['a'] ?? []), 'dataFootnoteRef'],
  },
};

/** With GitHub's allow-list, as hast-util-sanitize has it. */
export const renderedByCmark = (text: string): string =>
  toHtml(sanitize(fromParse5(parseFragment(renderedUnsafely(text))), SCHEMA));
