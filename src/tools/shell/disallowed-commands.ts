// Commands that are rejected before they run, so that the model learns at once what cannot work. This is
// not a security boundary; the sandbox is.
import { TellModel } from '../../lib/errors.ts';
import { programOf, readCommand, type CommandText } from './command-words.ts';
import { quoted } from '../../lib/text/invisible.ts';

const NOT_RUN = 'It was not run.';

/** Git commands that need the `.git` directory, which commands cannot access. */
const NEEDS_REPOSITORY = new Set(
  [
    'add am annotate archive bisect blame branch bundle checkout cherry cherry-pick clean commit config',
    'describe fetch format-patch gc grep log ls-files ls-tree merge mv notes pull push rebase reflog',
    'remote reset restore revert rev-list rev-parse rm shortlog show show-ref stash status submodule',
    'switch tag worktree',
  ].flatMap((names) => names.split(' ')),
);

const POINTER = `Commands cannot access the repository's git directory. Use commit to commit all changes and push them to this session's branch, its only one; git_status, git_diff and git_log to see changes; git_branch to name the branch. To undo a change, edit or delete the file. ${NOT_RUN}`;

function gitPointer({ commands }: CommandText): string | undefined {
  for (const words of commands) {
    const [program, ...args] = programOf(words);
    if (program !== 'git') continue;
    const subcommand = subcommandOf(args);
    const isOutside = args.includes('--no-index');
    if (NEEDS_REPOSITORY.has(subcommand) || (subcommand === 'diff' && !isOutside))
      return `\`git ${subcommand}\` cannot be used here. ${POINTER}`;
  }
  return undefined;
}

const TAKES_VALUE = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace']);

function subcommandOf(args: readonly string[]): string {
  const at = args.findIndex(
    (arg, index) => !arg.startsWith('-') && !TAKES_VALUE.has(args[index - 1] ?? ''),
  );
  return args[at] ?? '';
}

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
  return options.some((option) => option.includes('R')) && after.includes('/')
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
  const names = commands.flatMap((words) => words.slice(0, 3).map((word) => word.text));
  const starts = commands.map((words) => programOf(words)[0] ?? '');
  const name = [...starts, ...names.filter((each) => each === 'sudo' || each === 'doas')].find(
    (each) => NEEDS_ROOT.has(each),
  );
  if (name === undefined) return undefined;
  return `\`${name}\` needs administrator rights, and commands have none: they run as an unprivileged user, in the repository. ${NOT_RUN}`;
}

const UP = /(?:^|[\s'"=:(,<>|;&/])\.\.(?=$|[\s'"/),;|&<>])/;

/** System paths that every command may use. */
const OPEN_TO_ALL =
  /^\/(?:tmp|usr|bin|sbin|lib|lib32|lib64|opt)(?:\/|$)|^\/dev\/(?:null|zero|full|u?random|std(?:in|out|err)|fd(?:\/|$))|^\/etc\/(?:os-release|ssl(?:\/|$)|alternatives(?:\/|$))|^\/proc\/(?:self|cpuinfo|meminfo)(?:\/|$)/;
const SYSTEM =
  /^\/(?:boot|dev|etc|home|lost\+found|media|mnt|proc|root|run|srv|sys|var|Users|Library|private|Volumes)(?:\/|$)/;
const PATH_ONLY = /^\/[\w@%+=:,.-]*(?:\/[\w@%+=:,.*?-]*)*$/;

const RULE =
  'Commands work only inside the repository: use paths relative to the working directory, which `directory` sets, without "..". Use /tmp for temporary files.';

function pathFault(text: string, { commands }: CommandText): string | undefined {
  if (UP.test(text))
    return `Not run: the command uses "..", which leaves the working directory. ${RULE}`;
  for (const { text: word, isQuoted } of commands.flat()) {
    const path = pathIn(word);
    if (path === undefined || OPEN_TO_ALL.test(path)) continue;
    // A quoted word may be an expression for sed or awk.
    const isOutside = isQuoted ? SYSTEM.test(path) : PATH_ONLY.test(path);
    if (isOutside || path.startsWith('~'))
      return `${quoted(path.slice(0, 200))} is outside the repository. ${RULE} ${NOT_RUN}`;
  }
  return undefined;
}

/** The absolute path in a word: the whole word, or the part after `=`, as in `--prefix=/usr`. */
function pathIn(word: string): string | undefined {
  if (/^(?:\/|~(?:$|[\w/]))/.test(word)) return word;
  return /^-{0,2}[\w-]+=(\/.*|~(?:\/.*)?)$/s.exec(word)?.[1];
}

/** @throws {TellModel} if the command cannot work here, or must not be run */
export function assertRunnable(text: string): void {
  const read = readCommand(text);
  const fault = gitPointer(read) ?? dangerIn(text, read) ?? pathFault(text, read);
  if (fault !== undefined) throw new TellModel(fault);
}
