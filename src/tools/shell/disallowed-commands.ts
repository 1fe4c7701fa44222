// Commands that are rejected before they run, so that the model learns at once what cannot work. This is
// not a security boundary; the sandbox is.
import { posix } from 'node:path';
import type { ContainedPaths } from '../../contracts/shell.ts';
import { TellModel } from '../../lib/errors.ts';
import { gitPointer } from './git-commands.ts';
import {
  programWords,
  readCommand,
  resolvePath,
  type CommandText,
  type CommandWord,
  type SimpleCommand,
} from './read-command.ts';
import { quoted } from '../../lib/text/invisible.ts';
import { matchesCommand } from '../../lib/glob.ts';

const NOT_RUN = 'Nothing of this command was run.';

const DANGEROUS: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/:\s{0,9}\(\s{0,9}\)\s{0,9}\{[^}|]{0,40}\|[^}&]{0,40}&/, 'start endless processes'],
  [/\b(?:mkfs(?:\.\w+)?|fdisk|parted|wipefs|losetup|swapon)\b/, 'modify file systems'],
  [/>\s*\/dev\/(?:sd|hd|vd|nvme|mem|kmem|loop)/, 'write to a device'],
  [/\/dev\/(?:tcp|udp)\//, 'open a network connection from the shell'],
];

/** A program, the options that directly follow it, and the words after them. */
interface Invocation {
  readonly program: string;
  readonly options: readonly string[];
  readonly after: readonly string[];
}

const PROGRAMS = /\b(?:rm|chmod|chown|chgrp|kill)$/;
const EVERYTHING = /^["']?(?:\/|~|\$HOME)\/?\*?["']?(?:[;&|]|$)/;

/** Reads words, since expressions over repeated options take quadratic time. */
function invocationsIn(text: string): Invocation[] {
  const words = text.split(/\s+/);
  return words.flatMap((word, at) => {
    const [program] = PROGRAMS.exec(word) ?? [];
    if (program === undefined) return [];
    const rest = words.slice(at + 1, at + 1 + MOST_WORDS);
    const end = rest.findIndex((each) => !each.startsWith('-'));
    const options = end === -1 ? rest : rest.slice(0, end);
    return [{ program, options, after: rest.slice(options.length, options.length + 2) }];
  });
}

const MOST_WORDS = 50;

function damageOf({ program, options, after }: Invocation): string | undefined {
  if (program === 'kill') return options.includes('-1') ? 'end all processes' : undefined;
  if (program === 'rm')
    return options.some((option) => /r/i.test(option)) && EVERYTHING.test(after[0] ?? '')
      ? 'delete everything'
      : undefined;
  return options.some((option) => option.includes('R')) &&
    after.some((word) => /^["']?\/["']?$/.test(word))
    ? 'change the whole system'
    : undefined;
}

/** In one command of the line. */
const writesToDevice = (text: string): boolean =>
  text.split(/[;&|\n]/).some((part) => {
    const at = part.search(/\bdd\b/);
    return at !== -1 && /\bof=\/dev\//.test(part.slice(at));
  });

function damageIn(text: string): string | undefined {
  const [, what] = DANGEROUS.find(([pattern]) => pattern.test(text)) ?? [];
  if (what !== undefined) return what;
  if (writesToDevice(text)) return 'write to a device';
  if (runsDownload(text)) return 'run downloaded code';
  return invocationsIn(text)
    .map(damageOf)
    .find((damage) => damage !== undefined);
}

const NEEDS_ROOT = new Set(
  'sudo doas su shutdown reboot halt poweroff mount umount insmod modprobe iptables nft sysctl systemctl service chroot useradd passwd crontab docker podman kubectl'.split(
    ' ',
  ),
);

/** Matched in two steps: a single expression could take quadratic time. */
const DOWNLOADS = /\b(?:curl|wget)\b/;
const INTO_SHELL = /\|\s{0,9}(?:sudo\s{1,9})?[\w./-]{0,40}\b(?:ba|da|z|k)?sh\b/;

function runsDownload(text: string): boolean {
  const at = text.search(INTO_SHELL);
  return at !== -1 && DOWNLOADS.test(text.slice(0, at));
}

function dangerIn(text: string, { commands }: CommandText): string | undefined {
  const what = damageIn(text);
  if (what !== undefined) return `Not run: the command would ${what}.`;
  const name = commands.map(rootProgramOf).find((each) => each !== undefined);
  if (name === undefined) return undefined;
  return `\`${name}\` needs administrator rights, and commands have none: they run as an unprivileged user, in the repository. ${NOT_RUN}`;
}

/** The program that needs the rights, or `sudo` before another. */
function rootProgramOf({ words }: SimpleCommand): string | undefined {
  const [program = '', ...args] = programWords(words);
  const before = words.slice(0, words.length - args.length - 1).map(({ text }) => text);
  return [program, ...before.filter((word) => /^(?:sudo|doas)$/.test(word))].find((name) =>
    NEEDS_ROOT.has(name),
  );
}

export interface Surroundings {
  /** Where the command starts, relative to the root of the repository. */
  readonly directory: string;
  /** `undefined`: commands are not contained. */
  readonly contained: ContainedPaths | undefined;
  /** Whether git works in a contained command. */
  readonly hasRepository: boolean;
  /** The tools of the run. */
  readonly tools: ReadonlySet<string>;
}

/**
 * Contained, a command runs wherever it is in doubt. Otherwise the text is searched for all that could do harm.
 * @throws {TellModel} if the command cannot work here, or must not be run
 */
export function assertRunnable(text: string, surroundings: Surroundings): void {
  const { directory, contained } = surroundings;
  const root = contained?.workspace ?? '/';
  const start = { directory: posix.join(root, directory), home: contained?.home ?? '~' };
  const fault = faultIn(text, readCommand(text, start), surroundings);
  if (fault !== undefined) throw new TellModel(fault);
}

function faultIn(
  text: string,
  read: CommandText | undefined,
  { contained, hasRepository, tools }: Surroundings,
): string | undefined {
  if (contained === undefined)
    return read === undefined
      ? `The command is nested too deeply. ${NOT_RUN}`
      : (gitPointer(read, tools) ?? dangerIn(text, read) ?? uncontainedPathFault(text, read));
  if (read === undefined) return damageIn(text);
  return (
    (hasRepository ? undefined : gitPointer(read, tools)) ??
    dangerIn(read.bare, read) ??
    pathOutside(read, contained)
  );
}

const MAX_SHOWN = 200;

/** System paths that every command may use. */
const OPEN_TO_ALL =
  /^\/(?:tmp|usr|bin|sbin|lib|lib32|lib64|opt)(?:\/|$)|^\/dev\/(?:null|zero|full|tty|u?random|std(?:in|out|err)|(?:fd|shm)(?:\/|$))|^\/etc\/(?:[\w.*-]*release|debian_version|hosts|localtime|timezone|(?:ssl|alternatives)(?:\/|$))|^\/proc\/(?:self|cpuinfo|meminfo|version|loadavg)(?:\/|$)|^\/var\/tmp(?:\/|$)/;
const SYSTEM =
  /^\/(?:boot|dev|etc|home|lost\+found|media|mnt|proc|root|run|srv|sys|var|Users|Library|private|Volumes)(?:\/|$)/;

/** What is wrong with a path that a contained command names: it leads out of all that the command may reach. */
function pathOutside({ commands, files }: CommandText, paths: ContainedPaths): string | undefined {
  const named = [
    ...commands.flatMap(pathsOf),
    ...files.flatMap(({ word, directory }) => namedBy(word, { directory, isOpened: true })),
  ];
  const roots = [paths.workspace, paths.home, ...paths.readable];
  for (const path of named) {
    const { text, isOpened } = path;
    const target = resolved(path, paths);
    if (target === undefined || OPEN_TO_ALL.test(target)) continue;
    if (roots.some((root) => target === root || target.startsWith(`${root}/`))) continue;
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

const UP = /(?:^|[\s'"=:(,<>|;&/])\.\.(?=$|[\s'"/),;|&<>])/;
const PATH_ONLY = /^\/[\w@%+=:,.-]*(?:\/[\w@%+=:,.*?-]*)*$/;
const RULE =
  'Commands work only inside the repository: use paths relative to the working directory, which `directory` sets, without "..". Use /tmp for temporary files.';

/** The same without a sandbox: nothing that could be a path outside may stand anywhere in the text. */
function uncontainedPathFault(text: string, read: CommandText): string | undefined {
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

const MAX_NAMED = 10;

/**
 * Allows only the commands in the repository's settings: exactly as written there, or one simple command that
 * matches a pattern. A command with expansions, redirections or operators matches none.
 * @throws {TellModel} for any other
 */
export function requireAllowed(command: string, allow: readonly string[] | undefined): void {
  if (allow === undefined || allow.includes(command.trim())) return;
  const isSimple = readCommand(command)?.isSimple === true && !/[\r\n]/.test(command.trim());
  if (isSimple && allow.some((pattern) => matchesCommand(pattern, command))) return;
  const named = allow.slice(0, MAX_NAMED).map((pattern) => `\`${pattern}\``);
  const more = allow.length > MAX_NAMED ? `, and ${allow.length - MAX_NAMED} more` : '';
  throw new TellModel(
    named.length === 0
      ? 'Not run: the repository settings allow no commands.'
      : `Not run: the repository settings allow only ${named.join(', ')}${more}, each as one simple command without operators.`,
  );
}
