// What a repository says about how to work in it: files of its default branch, which only people
// with write access change. A branch is never asked: who opens a pull request writes that too.
import { TellPerson } from '../../../lib/errors.ts';
import { withoutInvisible } from '../../../lib/text/invisible.ts';
import {
  instructionsTarget,
  LinkFault,
  pathInside,
  type IsClosed,
} from '../../../lib/target-of.ts';
import { cutBytes } from '../../../lib/text/text.ts';
import {
  cutAfter,
  importNotShown,
  noRoomFor,
  notAFile,
  notShown,
} from '../../../agent/prompts/notices.ts';
import { languageSection, repositorySection, underHeading } from '../../../agent/prompts/system.ts';
import type { GitHubRepository } from '../../../github/repository.ts';
import type { RepositorySettings } from '../../../session/settings/index.ts';
import { PathRules, type PathSettings } from '../../../workspace/files/repository-paths.ts';
import type { TextRedactor } from '../../../lib/text/redact.ts';

/** The text of a file on the default branch; `undefined` without one. */
type ReadFile = (path: string, isClosed?: IsClosed) => Promise<string | undefined>;

/** A file with instructions: what people see of its text, whole, without secrets. */
export interface InstructionFile {
  readonly path: string;
  readonly text: string;
  /** The file that is read by itself, if another one imports this one. */
  readonly importedBy?: string;
}

export interface InstructionSource {
  readonly readFile: ReadFile;
  readonly redact: (text: string) => string;
  /** No import and no link reads these. */
  readonly isClosed?: IsClosed;
}

interface ReadingScope {
  readonly github: Pick<GitHubRepository, 'readFile'>;
  readonly service: TextRedactor;
}

export function sourceOf(
  { github, service }: ReadingScope,
  paths: PathSettings = {},
): InstructionSource {
  const rules = new PathRules(paths);
  return {
    readFile: (path, isClosed) => github.readFile(path, isClosed),
    redact: service.redact,
    isClosed: (path) => rules.isDenied(path),
  };
}

/** Bytes of one file, and of all together, that a model is shown. */
const MAX_FILE_BYTES = 16 * 1024;
export const MAX_BYTES = 32 * 1024;

/** Files that one file imports, and those import. */
const MOST_IMPORTS = 20;

/**
 * The files that exist, in the order of `paths`, each text once, and after each what it imports.
 * @throws {TryLater} when GitHub cannot be asked
 */
export async function readInstructions(
  source: InstructionSource,
  paths: readonly string[],
): Promise<readonly InstructionFile[]> {
  const read = await Promise.all(paths.map((path) => readWithImports(source, path, paths)));
  const files = read.flat();
  return files.filter((file, at) => {
    const isCopy = files
      .slice(0, at)
      .some(({ path, text }) => path === file.path || text === file.text);
    return !isCopy && !files.some(({ path }) => path === instructionsTarget(file));
  });
}

/** @param others are read by themselves */
async function readWithImports(
  source: InstructionSource,
  path: string,
  others: readonly string[],
): Promise<readonly InstructionFile[]> {
  const first = await readInstruction(source, path);
  const files: InstructionFile[] = first === undefined ? [] : [first];
  const known = new Set([path, ...others]);
  for (const [at, file] of files.entries()) {
    const notShown: string[] = [];
    for (const word of importsIn(file.text)) {
      const target = pathInside(file.path, word);
      if (target !== undefined && known.has(target)) continue;
      if (target !== undefined) known.add(target);
      const found = await readImport(source, word, target, files.length <= MOST_IMPORTS);
      if (typeof found === 'string') notShown.push(found);
      else files.push({ ...found, importedBy: path });
    }
    if (notShown.length > 0)
      files[at] = { ...file, text: [file.text, notShown.join('\n')].join('\n\n') };
  }
  return files;
}

/** @returns a sentence that says why it is not shown */
async function readImport(
  source: InstructionSource,
  word: string,
  path: string | undefined,
  hasRoom: boolean,
): Promise<InstructionFile | string> {
  if (path === undefined) return importNotShown(word, 'it is outside of the repository');
  if (source.isClosed?.(path) === true) return importNotShown(word, 'the settings close it');
  if (!hasRoom) return importNotShown(word, `more than ${MOST_IMPORTS} files are imported`);
  return (await readInstruction(source, path)) ?? importNotShown(word, 'there is no text');
}

/** A line that only names a file, as in CLAUDE.md. Names of people and packages stand in sentences, or have no dot. */
const IMPORT = /^\s{0,3}(?:[-*+]\s+)?@(\S+)\s*$/;

/** What a text imports, outside of blocks of code. */
function importsIn(text: string): readonly string[] {
  const found: string[] = [];
  let fence = '';
  for (const line of text.split('\n')) {
    fence = fenceAfter(line, fence);
    const [, word] = fence === '' ? (IMPORT.exec(line) ?? []) : [];
    if (word?.includes('.') === true) found.push(word);
  }
  return found;
}

/**
 * `undefined` if there is no such file, or it is empty. `hasComments`: what its HTML comments say is read too.
 * @throws {TryLater} when GitHub cannot be asked
 */
export async function readInstruction(
  { readFile, redact, isClosed }: InstructionSource,
  path: string,
  { hasComments = false } = {},
): Promise<InstructionFile | undefined> {
  try {
    const seen = withoutInvisible((await readFile(path, isClosed)) ?? '');
    const text = (hasComments ? seen : withoutComments(seen)).trim();
    // Redacted before anything is cut: half a secret is one too.
    return text === '' ? undefined : { path, text: redact(text) };
  } catch (error) {
    if (!(error instanceof TellPerson)) throw error;
    return { path, text: error instanceof LinkFault ? notShown(error.message) : notAFile(path) };
  }
}

const COMMENT = { start: '<!--', end: '-->' };

/** Without HTML comments. One that has no end, and begins a line, hides the rest. */
function withoutComments(text: string): string {
  let kept = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf(COMMENT.start, at);
    if (start === -1) return kept + text.slice(at);
    const end = text.indexOf(COMMENT.end, start + COMMENT.start.length);
    if (end === -1) {
      const beginsLine = text.slice(text.lastIndexOf('\n', start) + 1, start).trim() === '';
      return kept + text.slice(at, beginsLine ? start : text.length);
    }
    kept += text.slice(at, start);
    at = end + COMMENT.end.length;
  }
}

/** The section of the system prompt, the same bytes for the same files; empty without any. */
export function promptSection(files: readonly InstructionFile[]): string {
  if (files.length === 0) return '';
  const parts: string[] = [];
  let room = MAX_BYTES;
  for (const file of files) {
    const text = shownInstructions(file, room);
    parts.push(underHeading(file.path, text));
    room -= Buffer.byteLength(text);
  }
  return repositorySection(parts);
}

/** What the system prompt says of these files, and of the language that people read. */
export async function guidanceFor(
  scope: ReadingScope,
  { language, paths }: Pick<RepositorySettings, 'language' | 'paths'>,
  files: readonly string[],
): Promise<string> {
  const section = promptSection(await readInstructions(sourceOf(scope, paths), files));
  const parts = [section, language === undefined ? '' : languageSection(language)];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** For the words around a cut, and a fence that it left open. */
const ROOM_FOR_WORDS = 250;

/** The text within the byte limits, cut at the end of a line, with a note that says where the rest is. */
export function shownInstructions({ path, text }: InstructionFile, room: number): string {
  const bytes = Buffer.byteLength(text);
  const limit = Math.min(room, MAX_FILE_BYTES);
  if (bytes <= limit) return text;
  const left = limit - Buffer.byteLength(path) - ROOM_FOR_WORDS;
  if (left <= 0) return noRoomFor(path);
  const start = cutBytes(text, left, '');
  // Without the line that the cut went through, unless that is all there is.
  const kept = (start.slice(0, start.lastIndexOf('\n') + 1) || start).trimEnd();
  const end = cutAfter(path, Buffer.byteLength(kept), bytes);
  return `${kept}${closingFence(kept)}\n\n${end}`;
}

/** The start of a line that opens or closes a block of code, in quotations and lists too. */
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})/;

/** What closes a block of code that a cut left open; a model reads it, so nothing depends on it. */
function closingFence(text: string): string {
  let open = '';
  for (const line of text.split('\n')) open = fenceAfter(line, open);
  return open === '' ? '' : `\n${open}`;
}

/** The fence of the block of code that is open after a line; empty if none is. */
function fenceAfter(line: string, open: string): string {
  const [start, fence] = FENCE.exec(line) ?? [];
  if (start === undefined || fence === undefined) return open;
  const words = line.slice(start.length);
  if (words.includes('`')) return open;
  if (open === '') return fence;
  return fence.startsWith(open) && words.trim() === '' ? '' : open;
}
