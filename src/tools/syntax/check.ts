import { cutCharacters } from '../../lib/text/text.ts';
import { TaskThread } from '../../lib/threads/task-thread.ts';
import { posix } from 'node:path';
import { stripTypeScriptTypes } from 'node:module';
import { compileFunction } from 'node:vm';
import { parseAllDocuments } from 'yaml';

const MAX_CHARACTERS = 300_000;
const MAX_FAULT_CHARACTERS = 300;
const MAX_MS = 1000;
const MAX_IDLE_MS = 5000;
const MAX_HEAP_MB = 128;

export interface SyntaxQuestion {
  readonly dialects: readonly Dialect[];
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * A warning line if a change broke the syntax of a file; empty if the syntax is correct, or was wrong
 * before. Must not throw; returns within about a second.
 * @param before `undefined` if there was no file
 */
export async function syntaxWarning(
  path: string,
  before: string | undefined,
  after: string,
): Promise<string> {
  const dialects = dialectsOf(path);
  const isLong = after.length + (before?.length ?? 0) > MAX_CHARACTERS;
  if (dialects.length === 0 || isLong || (before === undefined && isTemplate(dialects, after)))
    return '';
  const fault = await faultIn({ dialects, before, after });
  if (fault === undefined) return '';
  return `\nWarning: the file does not parse now: ${cutCharacters(fault, MAX_FAULT_CHARACTERS, '…')}`;
}

type SyntaxThread = TaskThread<SyntaxQuestion, string | undefined>;

let thread: SyntaxThread | undefined;
let idle: NodeJS.Timeout | undefined;
let last: Promise<unknown> = Promise.resolve();

/** The answers come one after the other. */
function faultIn(question: SyntaxQuestion): Promise<string | undefined> {
  const answer = last.then(() => askThread(question));
  last = answer;
  return answer;
}

/**
 * Runs third-party parsers on untrusted texts in a thread, which is terminated when they hang or fail, and
 * when it is idle. Without an answer nothing is known to be wrong.
 */
async function askThread(question: SyntaxQuestion): Promise<string | undefined> {
  clearTimeout(idle);
  if (thread === undefined || thread.hasEnded) thread = startThread();
  const asked = thread;
  idle = setTimeout(() => void asked.end(), MAX_IDLE_MS).unref();
  let fault: string | undefined;
  try {
    await asked.perform(question, (part) => (fault = part));
  } catch {
    // A parser that failed on one text may be unusable for the next.
    await asked.end();
  }
  return fault;
}

const startThread = (): SyntaxThread =>
  new TaskThread({
    name: 'syntax',
    entry: new URL('./thread.ts', import.meta.url),
    maxHeapMb: MAX_HEAP_MB,
    maxSilenceMs: MAX_MS,
    env: {},
    // Node's TypeScript parser warns that it is experimental.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });

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
  /(?:^|\/)(?:\.vscode\/|(?:[tj]sconfig(?:\.[^/]+)?|devcontainer|\.eslintrc|\.oxlintrc|api-extractor|biome|deno|nx|turbo|wrangler)\.json$)/;

/** Most likely first; empty if there is no parser. */
const dialectsOf = (path: string): readonly Dialect[] =>
  posix.extname(path) === '.json' && COMMENTED.test(path)
    ? ['commented json']
    : (BY_EXTENSION.get(posix.extname(path)) ?? []);

/** Whether the text is a template that is not valid until it is filled in. `${{ … }}` is ordinary text. */
const isTemplate = (dialects: readonly Dialect[], text: string): boolean =>
  dialects.some((dialect) => DATA.has(dialect)) && /(?<!\$)\{\{|\{%|<%/.test(text);

// Run these in their own thread: a text may make a parser hang or crash.

/** Describes the first syntax error of a text, with its line if known; `undefined` if it parses. */
type Parse = (text: string) => string | undefined;

export const PARSERS: Readonly<Record<Dialect, Parse>> = {
  json: parseJson,
  'commented json': (text) => parseJson(withoutComments(text)),
  yaml: parseYaml,
  typescript: (text) => {
    const stripped = stripTypes(text);
    return 'fault' in stripped ? stripped.fault : undefined;
  },
  javascript: parseJavaScript,
};

function parseJson(text: string): string | undefined {
  return faultOf(() => JSON.parse(text));
}

/** Replaces comments and trailing commas with spaces, so that positions do not change. */
function withoutComments(text: string): string {
  const string = '"(?:[^"\\\\]|\\\\.)*"';
  const comment = new RegExp(`${string}|//[^\\n]*|/\\*[^]*?\\*/`, 'g');
  const comma = new RegExp(`${string}|,(?=\\s*[}\\]])`, 'g');
  const blank = (found: string): string =>
    found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, ' ');
  return text.replaceAll(comment, blank).replaceAll(comma, blank);
}

function parseYaml(text: string): string | undefined {
  const documents = parseAllDocuments(text, { logLevel: 'error' });
  const [error] = Array.isArray(documents) ? documents.flatMap((one) => one.errors) : [];
  if (error === undefined || error.code === 'RESOURCE_EXHAUSTION') return undefined;
  return error.message.replace(/:?\n[^]*$/, '');
}

/** Parses as a script or the body of a CommonJS module, or else as an ES module. */
function parseJavaScript(text: string): string | undefined {
  const body = text.replace(/^\ufeff?#!.*/, '');
  const asScript = faultOf(() => compileFunction(body));
  if (asScript === undefined) return undefined;
  // JavaScript files may contain JSX or Flow, which we have no parser for.
  if (/<\/[A-Za-z>]|\/>|@flow/.test(text)) return undefined;
  const stripped = stripTypes(text);
  if ('text' in stripped && stripped.text === text) return undefined;
  const isModule = /^[ \t]*(?:import|export)\b/m.test(text);
  if (!isModule) return asScript;
  return 'fault' in stripped
    ? stripped.fault
    : 'it contains type annotations, which are not valid JavaScript';
}

function stripTypes(text: string): { readonly text: string } | { readonly fault: string } {
  try {
    return { text: stripTypeScriptTypes(text) };
  } catch (error) {
    const { code } = Object(error) as { code?: unknown };
    // The syntax is valid; Node merely cannot run it by stripping types.
    if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return { text: '' };
    if (code === 'ERR_INVALID_TYPESCRIPT_SYNTAX') return { fault: inWords(error) };
    throw error;
  }
}

function faultOf(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return inWords(error);
    throw error;
  }
}

/** The stack of a syntax error begins with its position: `:12`, or `file.js:12`. */
function inWords(error: unknown): string {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const [, line] = /^[^\n]*?:(\d+)\n/.exec(stack) ?? [];
  return line === undefined || message.includes(`line ${line}`)
    ? message
    : `line ${line}: ${message}`;
}
