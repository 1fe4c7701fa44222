import type { ContainedPaths } from '../../contracts/shell.ts';
import { quoted } from '../../lib/text/invisible.ts';
import {
  programWords,
  resolvePath,
  type CommandText,
  type CommandWord,
  type SimpleCommand,
} from './read-command.ts';

const MAX_SHOWN = 200;

/** System paths that every command may use. */
const OPEN_TO_ALL =
  /^\/(?:tmp|usr|bin|sbin|lib|lib32|lib64|opt)(?:\/|$)|^\/dev\/(?:null|zero|full|tty|u?random|std(?:in|out|err)|(?:fd|shm)(?:\/|$))|^\/etc\/(?:[\w.*-]*release|debian_version|hosts|localtime|timezone|(?:ssl|alternatives)(?:\/|$))|^\/proc\/(?:self|cpuinfo|meminfo|version|loadavg)(?:\/|$)|^\/var\/tmp(?:\/|$)/;
const SYSTEM =
  /^\/(?:boot|dev|etc|home|lost\+found|media|mnt|proc|root|run|srv|sys|var|Users|Library|private|Volumes)(?:\/|$)/;

/** What is wrong with a path that a contained command names: it leads out of all that the command may reach. */
export function pathOutside(
  { commands, files }: CommandText,
  paths: ContainedPaths,
): string | undefined {
  const named = [
    ...commands.flatMap(pathsOf),
    ...files.flatMap(({ word, directory }) => namedBy(word, { directory, isOpened: true })),
  ];
  for (const path of named) {
    const { text, isOpened } = path;
    const target = resolved(path, paths);
    if (target === undefined || isReachable(target, paths)) continue;
    const isRelative = !/^[/~]/.test(text);
    if (isOpened || isRelative || SYSTEM.test(target)) return outsideFault(text, target, paths);
  }
  return undefined;
}

const outsideFault = (text: string, target: string, { workspace }: ContainedPaths): string => {
  const leadsTo = text === target ? '' : ` leads to ${quoted(target.slice(0, MAX_SHOWN))}, which`;
  return `${quoted(text.slice(0, MAX_SHOWN))}${leadsTo} is outside the repository. Commands work only inside the repository, ${workspace}. Use /tmp for temporary files. Nothing of this command was run.`;
};

interface NamedPath {
  readonly text: string;
  readonly directory: string | undefined;
  /** Whether the command opens it, as far as we know. */
  readonly isOpened: boolean;
}

/** These open every path that they are given. */
const OPENERS = new Set(
  'cat cd cp chmod head ln ls mkdir mv rm rmdir source stat tail tar tee touch'.split(' '),
);
/** The first argument of these is no path. */
const TEXT_FIRST = new Set('awk egrep fgrep gawk grep rg sed'.split(' '));
const PRINTERS = new Set(['echo', 'printf']);

/** What is quoted may be any text, except where the program opens it. */
function pathsOf({ words, directory }: SimpleCommand): NamedPath[] {
  const [program = '', ...args] = programWords(words);
  const isOpened = OPENERS.has(program);
  const given = words.slice(words.length - args.length);
  const text = TEXT_FIRST.has(program)
    ? given.find((word) => !word.text.startsWith('-'))
    : undefined;
  const assigned = words.slice(0, words.length - args.length).filter((word) => !word.isQuoted);
  const named = PRINTERS.has(program)
    ? []
    : given.filter((word) => word !== text && (isOpened || !word.isQuoted));
  return [...assigned, ...named].flatMap((word) => namedBy(word, { directory, isOpened }));
}

function namedBy(word: CommandWord, how: Omit<NamedPath, 'text'>): NamedPath[] {
  const path = word.isLiteral ? pathIn(word.text) : undefined;
  return path === undefined ? [] : [{ text: path, ...how }];
}

/** The path in a word that may lead out: the whole word, or the part after `=`, as in `--prefix=/usr`. */
function pathIn(word: string): string | undefined {
  const value = /^-{0,2}[\w-]+=(.*)$/s.exec(word)?.[1] ?? word;
  return /^(?:\/|~(?:$|[\w/]))|(?:^|\/)\.\.(?:\/|$)/.test(value) ? value : undefined;
}

/** Where a path leads; `undefined`: nobody knows before the command runs. */
function resolved({ text, directory }: NamedPath, { home }: ContainedPaths): string | undefined {
  if (/^~\w/.test(text)) return text;
  if (directory === undefined && !/^[/~]/.test(text)) return undefined;
  const target = resolvePath(text, { directory: directory ?? '/', home });
  // All that the root lists is the system's, and read-only.
  return target === '/' && text.startsWith('/') ? undefined : target;
}

const isReachable = (path: string, { workspace, home, readable }: ContainedPaths): boolean =>
  OPEN_TO_ALL.test(path) ||
  [workspace, home, ...readable].some((root) => path === root || path.startsWith(`${root}/`));

const UP = /(?:^|[\s'"=:(,<>|;&/])\.\.(?=$|[\s'"/),;|&<>])/;
const PATH_ONLY = /^\/[\w@%+=:,.-]*(?:\/[\w@%+=:,.*?-]*)*$/;
const RULE =
  'Commands work only inside the repository: use paths relative to the working directory, which `directory` sets, without "..". Use /tmp for temporary files.';

/** The same without a sandbox: nothing that could be a path outside may stand anywhere in the text. */
export function uncontainedPathFault(text: string, read: CommandText): string | undefined {
  if (UP.test(text))
    return `Not run: the command uses "..", which leaves the working directory. ${RULE}`;
  for (const { text: word, isQuoted } of wordsAnywhere(read)) {
    const path = absolutePathIn(word);
    if (path === undefined || OPEN_TO_ALL.test(path)) continue;
    // A quoted word may be an expression for sed or awk.
    const isOutside = isQuoted ? SYSTEM.test(path) : PATH_ONLY.test(path);
    if (isOutside || path.startsWith('~'))
      return `${quoted(path.slice(0, MAX_SHOWN))} is outside the repository. ${RULE} Nothing of this command was run.`;
  }
  return undefined;
}

const wordsAnywhere = ({ commands, files, otherWords, documents }: CommandText) => [
  ...commands.flatMap(({ words }) => words),
  ...files.map(({ word }) => word),
  ...otherWords,
  ...documents.flatMap((text) => text.split(/\s+/)).map((word) => ({ text: word, isQuoted: true })),
];

function absolutePathIn(word: string): string | undefined {
  if (/^(?:\/|~(?:$|[\w/]))/.test(word)) return word;
  return /^-{0,2}[\w-]+=(\/.*|~(?:\/.*)?)$/s.exec(word)?.[1];
}
