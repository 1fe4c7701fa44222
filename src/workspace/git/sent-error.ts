import { inspect } from 'node:util';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import { CredentialsRefused } from './credentials.ts';
import type { SentError } from './operations.ts';

export function packError(error: unknown): SentError {
  return {
    kind: kindOf(error),
    message: messageOf(error),
    details: inspect(error),
    retryAfterMs: error instanceof TryLater ? error.retryAfterMs : undefined,
  };
}

function kindOf(error: unknown): SentError['kind'] {
  if (error instanceof CredentialsRefused) return 'credentials';
  if (error instanceof TellPerson) return 'person';
  return error instanceof TryLater ? 'later' : 'fault';
}

export function unpackError({ kind, message, details, retryAfterMs }: SentError): Error {
  if (kind === 'person') return new TellPerson(message, { cause: details });
  if (kind === 'credentials') return new CredentialsRefused(message, { cause: details });
  if (kind === 'later') return new TryLater(message, { cause: details, retryAfterMs });
  return new Error(`git failed: ${message}`, { cause: details });
}
