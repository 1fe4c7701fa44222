// What the machine, or the way to a server, has too little of: in words for people, with what helps.
import { codeOf, TellModel, TellPerson, TryLater } from './errors.ts';

/** By the codes of the system. */
const WORDS: ReadonlyMap<string, string> = new Map([
  [
    'EMFILE',
    'a process of Issuewright has too many files open. Its operator can raise the limit: `ulimit -n`, `LimitNOFILE` of systemd, or `ulimits` of Docker',
  ],
  [
    'ENFILE',
    'the machine of Issuewright has too many files open. Its operator can raise the limit: `sysctl fs.file-max`',
  ],
  [
    'ENOSPC',
    'a disk of Issuewright is full, or has no room for more files (`df -h`, `df -i`). Its operator can free some space, or move work trees with `TMPDIR` and the rest with `DATA_DIR`',
  ],
  [
    'EDQUOT',
    'the disk quota of Issuewright is used up. Its operator can raise it, or move work trees with `TMPDIR` and the rest with `DATA_DIR`',
  ],
  [
    'EROFS',
    'a disk of Issuewright is read-only. Its operator can find why in the log of the system',
  ],
  [
    'ENOMEM',
    'the machine of Issuewright has no memory left. Its operator can lower `CONCURRENCY`, or give it more',
  ],
  [
    'spawn EAGAIN',
    'the machine of Issuewright starts no more processes. Its operator can raise the limit: `ulimit -u`, `TasksMax` of systemd, or `pids_limit` of Docker',
  ],
]);

/** What a 413 means that the server does not explain. */
export const TOO_LARGE_FOR_PROXY =
  'Something on the way there, such as a proxy, takes no request of this size. Its operator can raise the limit (`client_max_body_size` of nginx).';

/** As programs print the same. They only choose the words: what such a program does fails for now anyway. */
const PRINTED: readonly (readonly [RegExp, string])[] = [
  [/Too many open files in system/, 'ENFILE'],
  [/Too many open files/, 'EMFILE'],
  [/No space left on device/, 'ENOSPC'],
  [/Disk quota exceeded/, 'EDQUOT'],
  [/Read-only file system/, 'EROFS'],
  [/Cannot allocate memory/, 'ENOMEM'],
  [/Resource temporarily unavailable/, 'spawn EAGAIN'],
];

/** What a code of the system stands for, if that is such a shortage. */
export const shortageBehind = (code: string): string | undefined => WORDS.get(code);

export const shortagePrinted = (text: string): string | undefined => {
  const [, code = ''] = PRINTED.find(([words]) => words.test(text)) ?? [];
  return WORDS.get(code);
};

/** An error that the code did not decide about yet: a shortage may pass, and people read what helps. */
export function explainShortage(error: unknown): unknown {
  const isDecided =
    error instanceof TellModel || error instanceof TellPerson || error instanceof TryLater;
  if (isDecided) return error;
  const { syscall = '' } = Object(error) as { readonly syscall?: string };
  const code = codeOf(error) ?? '';
  const words = WORDS.get(code === 'EAGAIN' && syscall.startsWith('spawn') ? 'spawn EAGAIN' : code);
  return words === undefined ? error : new TryLater(words, { cause: error });
}
