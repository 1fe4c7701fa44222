import { LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';

const MAX_FAULTS = 5;
const MAX_NAME = 60;

/** A file of settings as it was parsed: its value, and where each part of it stands. */
export interface ParsedFile {
  readonly value: unknown;
  readonly document: Document;
  readonly lines: LineCounter;
}

/** `fault`: why it is no YAML. Its values can be looked up even then, as far as they can be read. */
export function parseFile(text: string): ParsedFile & { readonly fault?: string } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) return { value: undefined, document, lines, fault: error.message };
  try {
    return { value: document.toJS({ maxAliasCount: 20 }) ?? {}, document, lines };
  } catch (thrown) {
    const fault = thrown instanceof Error ? thrown.message : 'it cannot be read as YAML';
    return { value: undefined, document, lines, fault };
  }
}

/** The text of a setting at the root; `undefined` where none can be read. */
export function textOf({ document }: ParsedFile, name: string): string | undefined {
  const value: unknown = 'get' in document ? document.get(name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Something wrong with one setting. */
export interface Fault {
  /** Where it stands, by names and places in lists; empty for the file as a whole. */
  readonly path: readonly PropertyKey[];
  readonly isUnknown: boolean;
  /** "has to be …" */
  readonly words: string;
}

export function faultsOf(issue: z.core.$ZodIssue): readonly Fault[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...path, key],
      isUnknown: true,
      words: 'is no setting',
    }));
  // Of several forms that a setting may have, the one that was meant says where it went wrong.
  const meant =
    issue.code === 'invalid_union'
      ? issue.errors.find((issues) => issues.some(({ path: inner }) => inner.length > 0))
      : undefined;
  if (meant === undefined) return [{ path, isUnknown: false, words: message }];
  return meant.flatMap(faultsOf).map((fault) => ({ ...fault, path: [...path, ...fault.path] }));
}

/** "line 4: `limits.turns` has to be …", a few of them. Markdown. */
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

/** Of the setting; of what it is missing in, where that is what is wrong. */
function lineOf(path: readonly PropertyKey[], file: ParsedFile | undefined): string {
  if (file === undefined) return '';
  const { document, lines } = file;
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  const isPlaced = typeof node === 'object' && node !== null && 'range' in node;
  const range = isPlaced && Array.isArray(node.range) ? node.range : [];
  if (typeof range[0] === 'number') return `line ${lines.linePos(range[0]).line}: `;
  return path.length > 1 ? lineOf(path.slice(0, -1), file) : '';
}
