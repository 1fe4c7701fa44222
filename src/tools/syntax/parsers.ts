// Run these in their own thread: a text may make a parser hang or crash.
import { stripTypeScriptTypes } from 'node:module';
import { compileFunction } from 'node:vm';
import { parseAllDocuments } from 'yaml';
import type { Dialect } from './dialect.ts';

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
  if (asScript === undefined || isOtherSyntax(text)) return undefined;
  const stripped = stripTypes(text);
  if ('text' in stripped && stripped.text === text) return undefined;
  const isModule = /^[ \t]*(?:import|export)\b/m.test(text);
  if (!isModule) return asScript;
  return 'fault' in stripped
    ? stripped.fault
    : 'it contains type annotations, which are not valid JavaScript';
}

/** JavaScript files may contain JSX or Flow, which we have no parser for. */
const isOtherSyntax = (text: string): boolean => /<\/[A-Za-z>]|\/>|@flow/.test(text);

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
