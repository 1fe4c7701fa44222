// What people can follow in the documents: links, and commands to type.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import MarkdownIt from 'markdown-it';
import { readCommand } from '../../../src/tools/shell/read-command.ts';

/** The documents for people who use it or work on it. */
export const DOCUMENTS: readonly string[] = globSync([
  '*.md',
  'docs/**/*.md',
  'bench/*.md',
  'kubernetes/README.md',
  'packages/**/README.md',
  'src/**/README.md',
  'test/**/README.md',
  '.github/**/*.md',
]).toSorted();

const markdown = new MarkdownIt({ html: true });
type Token = ReturnType<typeof markdown.parse>[number];
const texts = new Map<string, string>();

function textOf(path: string): string {
  const known = texts.get(path) ?? readFileSync(path, 'utf8');
  texts.set(path, known);
  return known;
}

const tokensOf = (text: string): readonly Token[] =>
  markdown.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])]);

/** The anchors of headings, as GitHub makes them. */
function anchorsOf(path: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const tokens = markdown.parse(textOf(path), {});
  tokens.forEach((token, at) => {
    if (token.type !== 'heading_open') return;
    const heading = (tokens[at + 1]?.children ?? []).map(({ content }) => content).join('');
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-');
    let own = anchor;
    for (let count = 1; anchors.has(own); count += 1) own = `${anchor}-${count}`;
    anchors.add(own);
  });
  return anchors;
}

export function linksIn(text: string): readonly string[] {
  return tokensOf(text).flatMap((token) => {
    if (token.type === 'link_open') return String(token.attrGet('href'));
    if (token.type === 'image') return String(token.attrGet('src'));
    if (!token.type.startsWith('html')) return [];
    return [...token.content.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g)].map(([, to = '']) => to);
  });
}

/** Why a link in a document leads nowhere; `undefined` if it leads somewhere. Other sites are not asked. */
export function linkFault(document: string, link: string): string | undefined {
  if (/^[a-z]+:/i.test(link))
    return link.startsWith('https://') && URL.canParse(link) ? undefined : `${link}: no https`;
  const [path = '', anchor] = decodeURIComponent(link).split('#', 2);
  const file = path === '' ? document : normalize(join(dirname(document), path));
  if (!existsSync(file)) return `${link}: there is no ${file}`;
  if (anchor === undefined) return undefined;
  if (!statSync(file).isFile() || !file.endsWith('.md')) return `${link}: ${file} has no headings`;
  return anchorsOf(file).has(anchor) ? undefined : `${link}: ${file} has no such heading`;
}

/** What begins something to type. */
const PROGRAMS = new Set(
  (
    'issuewright npm npx node docker kubectl openssl curl apt sudo chmod chown mkdir tar pg_dump pg_restore ' +
    'cloudflared source'
  ).split(' '),
);

/** The words of each command to type, in a document's blocks and sentences. */
export function commandsIn(text: string): readonly (readonly string[])[] {
  return tokensOf(text).flatMap(({ type, info, content }) => {
    const isCode = type === 'code_inline' || type === 'code_block';
    if (!isCode && !(type === 'fence' && /^(?:|ba?sh|sh|console)$/.test(info))) return [];
    return (readCommand(content)?.commands ?? [])
      .map(({ words }) => words.map((word) => word.text))
      .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))))
      .map(([program = '', ...rest]) => [program.replace(/^\.\/(?=issuewright$)/, ''), ...rest])
      .filter(([program = '', next]) => PROGRAMS.has(program) && next !== undefined);
  });
}
