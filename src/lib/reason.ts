import { isIP } from 'node:net';
import { getSystemErrorMessage } from 'node:util';
import { codeOf, messageOf } from './errors.ts';
import { shortageBehind } from './shortages.ts';

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
