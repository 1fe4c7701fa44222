import { posix } from 'node:path';

/** What the syntax of a file can be. */
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

/** Files in which comments are usual, although their name says JSON. */
const COMMENTED =
  /(^|\/)(\.vscode\/.*|[tj]sconfig(\..+)?|devcontainer|\.eslintrc|\.oxlintrc|api-extractor|biome|deno|nx|turbo|wrangler)\.json$/;

/** The likeliest first; none where no parser is at hand. */
export const dialectsOf = (path: string): readonly Dialect[] =>
  COMMENTED.test(path) ? ['commented json'] : (BY_EXTENSION.get(posix.extname(path)) ?? []);

/** What becomes data only when its blanks are filled in; `${{ … }}` is a text like any other. */
export const isTemplate = (dialects: readonly Dialect[], text: string): boolean =>
  dialects.some((dialect) => DATA.has(dialect)) && /(?<!\$)\{\{|\{%|<%/.test(text);
