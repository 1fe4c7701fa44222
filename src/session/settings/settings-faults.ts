import { isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';

const MAX_FAULTS = 5;
const MAX_NAME = 60;

/** A parsed settings file: its value, and the position of each part. */
export interface ParsedFile {
  readonly value: unknown;
  readonly document: Document;
  readonly lines: LineCounter;
}

/** `fault`: why it is not valid YAML. Even then its values can be looked up as far as they are readable. */
export function parseFile(text: string): ParsedFile & { readonly fault?: string } {
  const lines = new LineCounter();
  const options = { lineCounter: lines, logLevel: 'error', prettyErrors: false } as const;
  const document = parseDocument(text, options);
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    const fault = `line ${line}, column ${col}: ${ruleIn(error.message)}`;
    return { value: undefined, document, lines, fault };
  }
  keepAsWritten(document.get(VARIABLES));
  try {
    return { value: document.toJS({ maxAliasCount: 20 }) ?? {}, document, lines };
  } catch (thrown) {
    const fault = thrown instanceof Error ? ruleIn(thrown.message) : 'it is not valid YAML';
    return { value: undefined, document, lines, fault };
  }
}

/**
 * The rule that the text breaks, without what the parser quotes of it: the file may hold secrets, and the owner's may
 * be private.
 */
const ruleIn = (message: string): string => message.replace(/: [^]*$/, '');

/** Its values are texts: `3.10` is no number there. */
const VARIABLES = 'env';

function keepAsWritten(map: unknown): void {
  if (!isMap(map)) return;
  for (const { value } of map.items)
    if (isScalar(value) && /^(?:number|bigint|boolean)$/.test(typeof value.value))
      value.value = value.source;
}

/** The text of a setting at the root; `undefined` if there is none. */
export function settingText({ document }: ParsedFile, name: string): string | undefined {
  const value: unknown = 'get' in document ? document.get(name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Something wrong with one setting. */
export interface Fault {
  /** Its position, by names and list indexes; empty for the file as a whole. */
  readonly path: readonly PropertyKey[];
  readonly isUnknown: boolean;
  /** "must be …" */
  readonly words: string;
}

export function faultsOf(issue: z.core.$ZodIssue): readonly Fault[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...path, key],
      isUnknown: true,
      words: 'is not a setting',
    }));
  // If a setting has several forms, the form that was meant knows what is wrong.
  const meant =
    issue.code === 'invalid_union'
      ? issue.errors.find((issues) => issues.some(({ path: inner }) => inner.length > 0))
      : undefined;
  if (meant === undefined) return [{ path, isUnknown: false, words: message }];
  return meant.flatMap(faultsOf).map((fault) => ({ ...fault, path: [...path, ...fault.path] }));
}

/** "line 4: `limits.turns` must be …", the first few. Markdown. */
export function listed(faults: readonly Fault[], file: ParsedFile | undefined): readonly string[] {
  const shown = faults
    .slice(0, MAX_FAULTS)
    .map(({ path, words }) => `${lineOf(path, file)}${nameOf(path)} ${words}`);
  return faults.length > MAX_FAULTS ? [...shown, `and ${faults.length - MAX_FAULTS} more`] : shown;
}

function nameOf(path: readonly PropertyKey[]): string {
  const name = path
    .map((step, at) =>
      typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${String(step)}`,
    )
    .join('');
  return name === '' ? 'the file' : `\`${name.replaceAll(/[`\s]/g, ' ').slice(0, MAX_NAME)}\``;
}

/** The line of the setting; if the setting is missing, the line of what should contain it. */
function lineOf(path: readonly PropertyKey[], file: ParsedFile | undefined): string {
  if (file === undefined) return '';
  const { document, lines } = file;
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  const isPlaced = typeof node === 'object' && node !== null && 'range' in node;
  const range = isPlaced && Array.isArray(node.range) ? node.range : [];
  if (typeof range[0] === 'number') return `line ${lines.linePos(range[0]).line}: `;
  return path.length > 1 ? lineOf(path.slice(0, -1), file) : '';
}
