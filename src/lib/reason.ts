import { isIP } from 'node:net';
import { getSystemErrorMessage } from 'node:util';
import { codeOf, messageOf, TellModel, TellPerson, TryLater } from './errors.ts';

/** SQLSTATE, as PostgreSQL's manual lists them. */
const BY_DATABASE: Readonly<Record<string, string>> = {
  '25006': 'the database is read-only',
  '28000': 'the server does not let this user in',
  '28P01': 'the server does not accept the user or the password',
  '3D000': 'the server has no such database',
  '42704': 'the server does not know a parameter of the address',
  '42501': 'the user has too few rights in the database',
  '53300': 'the server has too many connections',
  '53100': 'the disk of the server is full',
  '57014': 'the database did not answer in time',
  '57P03': 'the server is starting or stopping',
};
/** Of the address itself. */
const BY_ADDRESS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host',
  ERR_INVALID_URL: 'it is no valid address',
  EAI_AGAIN: 'the host name cannot be looked up now',
};

/**
 * Why something failed, for the operator. If a system call or the database says so, by its code alone: their messages
 * repeat hosts, users and paths, and people paste secrets into the wrong setting.
 */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return messageOf(error);
  const words = BY_DATABASE[code] ?? BY_ADDRESS[code] ?? shortageBehind(code) ?? systemWords(error);
  return words === undefined ? `error ${code}` : `${words} (${code})`;
}

/** A host with several addresses fails with an error for each. */
function systemWords(error: unknown): string | undefined {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { errno } = Object(first) as { readonly errno?: unknown };
  return typeof errno === 'number' && errno < 0 ? getSystemErrorMessage(errno) : undefined;
}

/** The host, if it is none that could be a secret. */
export const shownHost = (host: string): string | undefined =>
  host === 'localhost' || isIP(host.replaceAll(/^\[|\]$/g, '')) !== 0 ? host : undefined;

// What the machine, or the way to a server, has too little of: in words for people, with what helps.

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
