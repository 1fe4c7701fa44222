// Markdown as GitHub shows it, by two renderers: the local GitHub's, and cmark-gfm, which GitHub's own comes from.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fromParse5 } from 'hast-util-from-parse5';
import { defaultSchema, sanitize } from 'hast-util-sanitize';
import { toHtml } from 'hast-util-to-html';
import { parseFragment } from 'parse5';
import { renderMarkdown } from '../../playground/github/markdown/index.ts';

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

/** With the HTML of the text as it is: as if GitHub let all of it through. */
export function renderedUnsafely(text: string): string {
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
