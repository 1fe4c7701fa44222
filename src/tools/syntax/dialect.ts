import { posix } from 'node:path';

/** The syntaxes that can be checked. */
export type Dialect = 'json' | 'commented json' | 'yaml' | 'typescript' | 'javascript';

const BY_EXTENSION = new Map<string, readonly Dialect[]>([
  ['.json', ['json', 'commented json']],
  ['.jsonc', ['commented json']],
  ['.code-workspace', ['commented json']],
  ['.webmanifest', ['json']],
  ['.yml', ['yaml']],
  ['.yaml', ['yaml']],
  ['.ts', ['typescript']],
  ['.mts', ['typescript']],
  ['.cts', ['typescript']],
  ['.js', ['javascript']],
  ['.mjs', ['javascript']],
  ['.cjs', ['javascript']],
]);

const DATA: ReadonlySet<Dialect> = new Set(['json', 'commented json', 'yaml']);

/** JSON files that usually contain comments. */
const COMMENTED =
  /(^|\/)(\.vscode\/.*|[tj]sconfig(\..+)?|devcontainer|\.eslintrc|\.oxlintrc|api-extractor|biome|deno|nx|turbo|wrangler)\.json$/;

/** Most likely first; empty if there is no parser. */
export const dialectsOf = (path: string): readonly Dialect[] =>
  COMMENTED.test(path) ? ['commented json'] : (BY_EXTENSION.get(posix.extname(path)) ?? []);

/** Whether the text is a template that is not valid until it is filled in. `${{ … }}` is ordinary text. */
export const isTemplate = (dialects: readonly Dialect[], text: string): boolean =>
  dialects.some((dialect) => DATA.has(dialect)) && /(?<!\$)\{\{|\{%|<%/.test(text);
