// Commands that are rejected before they run, so that the model learns at once what cannot work. This is
// not a security boundary; the sandbox is.
import { posix } from 'node:path';
import type { ContainedPaths } from '../../contracts/shell.ts';
import { TellModel } from '../../lib/errors.ts';
import { pathOutside, uncontainedPathFault } from './command-paths.ts';
import { gitPointer } from './git-commands.ts';
import { programWords, readCommand, type CommandText, type SimpleCommand } from './read-command.ts';

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
