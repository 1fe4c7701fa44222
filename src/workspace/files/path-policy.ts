import { TellModel, unlessItFails } from '../../lib/errors.ts';
import { fromGitQuoted, isName, isUtf8Name } from '../../lib/text/byte-names.ts';
import { isVisibleName, quotedPath } from '../../lib/text/invisible.ts';
import { trimEnd } from '../../lib/text/text.ts';

const MAX_PATH_BYTES = 1024;
const MAX_NAME_BYTES = 255;
const MAX_DEPTH = 64;

/** Code points that some file systems drop when they compare names: `.g\u200dit` is `.git` there. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * The name as the most lenient file system reads it (case, ignorable code points, trailing dots and
 * spaces, NTFS streams), so that a rule applies to every spelling of a name.
 */
export function foldName(name: string): string {
  const [beforeStream = ''] = name.normalize('NFKC').replace(IGNORABLE, '').split(':');
  return trimEnd(beforeStream, '. ').toLowerCase();
}

/** Whether some file system takes the name for `.git`, or the short form of it. */
export const isGitsOwn = (name: string): boolean => /^(\.git|git~\d+)$/.test(foldName(name));

type PathRule = readonly [isInvalid: (path: string) => boolean, words: string];

const NOT_RELATIVE =
  'is not relative: name files from the root of the repository, like "src/main.ts"';

/** Rules about paths of what is not there: git can hold such names. */
const NEW_PATH_RULES: readonly PathRule[] = [
  [(path) => /\p{Cc}/u.test(path), 'contains control characters: use plain names'],
  [(path) => /^[a-z]:[\\/]/i.test(path) || /^~(\/|$)/.test(path), NOT_RELATIVE],
  [(path) => path.includes('\\'), 'contains a backslash: separate directories with "/"'],
];

/** Rules about whole paths, tried in this order, each with a message for the model. */
const PATH_RULES: readonly PathRule[] = [
  [(path) => !isName(path) || path.includes('\0'), 'is not valid Unicode: use plain names'],
  [(path) => path.startsWith('/'), NOT_RELATIVE],
  [
    (path) => Buffer.byteLength(path) > MAX_PATH_BYTES,
    `is longer than ${MAX_PATH_BYTES} bytes: use a shorter path`,
  ],
  [
    (path) => path.split('/').length > MAX_DEPTH,
    `is deeper than ${MAX_DEPTH} directories: use a flatter path`,
  ],
];

const NAME_RULES: readonly [isInvalid: (name: string) => boolean, words: string][] = [
  [(name) => name === '..', 'contains "..": give the path from the repository root'],
  [
    (name) => Buffer.byteLength(name) > MAX_NAME_BYTES,
    `contains a name of more than ${MAX_NAME_BYTES} bytes: use a shorter name`,
  ],
  [(name) => foldName(name) === '', 'contains a name with no visible character: use plain names'],
  [isGitsOwn, 'belongs to git, and cannot be read or written as a file'],
];

const WORKFLOWS = /^\.github\/workflows(\/|$)/;

const WRITE_RULES: readonly [place: RegExp, words: string][] = [
  [
    WORKFLOWS,
    "cannot be written: this App does not have GitHub's permission to change workflow files. " +
      'Describe the change in the pull request instead',
  ],
  [
    /^(|\.github\/|docs\/)codeowners$/,
    'cannot be written: it decides who reviews the pull requests, so only people change it; ' +
      'describe the change in the pull request instead',
  ],
  [
    /^(\.gitmodules|gitmod~\d+)$/,
    'cannot be written: submodules are left as they are; describe the change in the pull request instead',
  ],
];

/** Nearly all paths match this. No rule can apply to them, so the rules are skipped. */
const PLAIN = /^(?!.{256})[\w@+=-][\w@+=.-]*(?:\/[\w@+=-][\w@+=.-]*){0,63}$/;

/** Whether anything is at a path, or git has something there. */
export type IsThere = (names: readonly string[]) => boolean;

const NOWHERE: IsThere = () => false;

/**
 * Splits a path into its names; the root (`''` or `'.'`) has none. Also reads paths in quotes, as tools show them and
 * git writes them, unless something is there under the text itself.
 * @throws {TellModel} if the path may not even be read
 */
export function parsePath(given: string, isThere: IsThere = NOWHERE): string[] {
  if (PLAIN.test(given)) return given.split('/');
  const quoted = [fromGitQuoted(given), fromQuotes(given)].filter((form) => form !== undefined);
  const found = [given, ...quoted].find((form) => canBeNamed(form) && isThere(namesIn(form)));
  const names = splitPath(found ?? quoted[0] ?? given);
  if (found === undefined) requireRules(NEW_PATH_RULES, quoted[0] ?? given);
  return names;
}

/** The path that a text in quotes stands for. */
function fromQuotes(given: string): string | undefined {
  if (!/^".+"$/s.test(given)) return undefined;
  const read = unlessItFails((): unknown => JSON.parse(given));
  return typeof read === 'string' ? read : undefined;
}

const namesIn = (path: string): string[] =>
  path.split('/').filter((name) => name !== '' && name !== '.');

/** Like `parsePath`, of a path as it is, and of something that is there. */
function splitPath(path: string): string[] {
  requireRules(PATH_RULES, path);
  const names = namesIn(path);
  for (const name of names)
    for (const [isInvalid, words] of NAME_RULES) if (isInvalid(name)) throw notAllowed(path, words);
  return names;
}

function requireRules(rules: readonly PathRule[], path: string): void {
  for (const [isInvalid, words] of rules) if (isInvalid(path)) throw notAllowed(path, words);
}

/** Whether `parsePath` accepts the path of an existing file. Whoever commits chooses the names. */
export function canBeNamed(path: string): boolean {
  try {
    return PLAIN.test(path) || splitPath(path).length > 0;
  } catch (error) {
    if (error instanceof TellModel) return false;
    throw error;
  }
}

/** Whether GitHub may run it, in any spelling. */
export const isWorkflow = (path: string): boolean =>
  WORKFLOWS.test(path.split('/').map(foldName).join('/'));

/**
 * @param mayChangeWorkflows they can be written, and wait for people before they are committed
 * @throws {TellModel} if only people may change the path, or its name is not UTF-8
 */
export function assertMayChange(names: readonly string[], mayChangeWorkflows = false): void {
  if (!names.every(isUtf8Name))
    throw notAllowed(
      names.join('/'),
      'is not UTF-8: its file can be read, and not changed here. Commits keep it as it is',
    );
  const place = names.map(foldName).join('/');
  for (const [protectedPlace, words] of WRITE_RULES) {
    if (protectedPlace === WORKFLOWS && mayChangeWorkflows) continue;
    if (protectedPlace.test(place)) throw notAllowed(names.join('/'), words);
  }
}

/** @throws {TellModel} if the path is none for a new file: some system cannot hold it, or people could not tell it from another */
export function assertPlain(path: string): void {
  requireRules(NEW_PATH_RULES, path);
  if (!PLAIN.test(path) && !path.split('/').every(isVisibleName))
    throw notAllowed(
      path,
      'holds invisible characters or unusual blanks, or many marks on one letter, which a new name must not: use plain names',
    );
}

const notAllowed = (path: string, words: string): TellModel =>
  new TellModel(`The path ${quotePath(path)} ${words}.`);

/** A path for use in a message: escaped and limited in length. */
export const quotePath = (path: string): string =>
  quotedPath(path.length > 200 ? `${path.slice(0, 200)}…` : path);
