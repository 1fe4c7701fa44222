import { codeOf } from '../../lib/errors.ts';
import { reasonOf, shownHost } from '../../lib/reason.ts';

/** Of a certificate that the address names: it does not come by waiting. A socket that is not there is not opened. */
export const isOfFile = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'syscall' in thrown && thrown.syscall === 'open';

/** Why the database of a URL could not be used, and what to check; without its secrets. */
export function unreachable(databaseUrl: string, thrown: unknown): string {
  const error = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
  const { hostname = '', port = '' } = URL.parse(databaseUrl) ?? {};
  const host = shownHost(hostname);
  const where = host === undefined ? '' : ` at ${host}:${port || 5432}`;
  const reason = reasonOf(error);
  // A library's own words may repeat a part of the address.
  const parts = codeOf(error) === undefined ? databaseUrl.split(/[^\w.-]+/) : [];
  const isRepeated = parts.some((part) => part.length > 3 && reason.includes(part));
  if (isOfFile(error))
    return `Cannot open the database${where}: ${reason}. Check DATABASE_URL: \`sslrootcert\`, \`sslcert\` and \`sslkey\` must name files that the user of the service can read.`;
  return `Cannot open the database${where}: ${isRepeated ? 'the address is wrong' : reason}. Check DATABASE_URL (host, port, database, user and password), and that the server runs.`;
}
