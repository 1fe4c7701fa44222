// Reads what a failed request means. Nothing of the request's headers or body gets into a message.
import { TryLater, messageOf } from '../lib/errors.ts';
import type { Redactor } from '../lib/redact.ts';
import { cutCharacters } from '../lib/text.ts';
import { AnswerLost, Forbidden, Gone, Refused, Unauthorized } from './errors.ts';

/** The parts of octokit's RequestError that are read; it is known by its shape. */
interface FailedRequest {
  readonly status: number;
  readonly response?: {
    readonly headers: Readonly<Record<string, string | number | undefined>>;
    readonly data: unknown;
  };
}

export interface Asked {
  readonly method: string;
  /** The route with its placeholders: it holds no value of ours. */
  readonly route: string;
}

/** Where GitHub says nothing of how long: its documentation asks for a minute. */
const SECONDARY_LIMIT_MS = 60_000;
const LONGEST_REASON = 500;

/** The error that a failed request becomes: TryLater, AnswerLost or one of the refusals. */
export function failureOf(thrown: unknown, asked: Asked, redactor: Redactor): Error {
  if (!isFailedRequest(thrown) || thrown.response === undefined)
    return new AnswerLost(`${called(asked)} got no answer: ${redactor.redact(messageOf(thrown))}`);
  const { status, response } = thrown;
  // Redacted before it is cut: half a secret is one too.
  const reasons = reasonsOf(response.data).map((reason) =>
    cutCharacters(redactor.redact(reason), LONGEST_REASON, '…'),
  );
  const wait = rateLimitWait(status, response.headers, reasons);
  if (wait !== undefined)
    return new TryLater(`GitHub's rate limit is reached (${status})`, { retryAfterMs: wait });
  const words = `${called(asked)} was answered with ${status}: ${reasons.join('; ') || 'no reason'}`;
  if (status >= 500 || status === 408) return new AnswerLost(words);
  return refusalOf(status, words, reasons);
}

const called = ({ method, route }: Asked): string => `GitHub's ${method} ${route}`;

function refusalOf(status: number, words: string, reasons: readonly string[]): Refused {
  switch (status) {
    case 401:
      return new Unauthorized(`${words}. Check the App's id and private key.`, status, reasons);
    case 403:
    case 451:
      return new Forbidden(`${words}. ${adviceFor(reasons)}`, status, reasons);
    case 404:
    case 410:
      return new Gone(
        `${words}. It was deleted or moved, or the App may not see it.`,
        status,
        reasons,
      );
    default:
      return new Refused(`${words}.`, status, reasons);
  }
}

/** GitHub tells these apart in its message alone. */
function adviceFor(reasons: readonly string[]): string {
  const said = reasons.join(' ').toLowerCase();
  if (said.includes('archived'))
    return 'The repository is archived: nothing can be written until it is unarchived.';
  if (said.includes('locked')) return 'The conversation is locked: unlock it to go on.';
  if (said.includes('not accessible by integration'))
    return "The App lacks a permission: accept the new ones in its installation's settings.";
  return "Check the App's permissions and the repository's rules.";
}

/** Milliseconds to wait; `undefined` when the answer is no rate limit. */
function rateLimitWait(
  status: number,
  headers: Readonly<Record<string, string | number | undefined>>,
  reasons: readonly string[],
): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const retryAfter = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && retryAfter >= 0) return retryAfter * 1000;
  if (Number(headers['x-ratelimit-remaining'] ?? Number.NaN) === 0) {
    const reset = Number(headers['x-ratelimit-reset']) * 1000;
    return Number.isFinite(reset) ? Math.max(reset - Date.now(), 1000) : SECONDARY_LIMIT_MS;
  }
  const named = /rate limit|abuse detection/i.test(reasons.join(' '));
  return named || status === 429 ? SECONDARY_LIMIT_MS : undefined;
}

/** GitHub's `message` and the messages of its `errors`. */
function reasonsOf(data: unknown): readonly string[] {
  const errors: readonly unknown[] =
    isRecord(data) && Array.isArray(data['errors']) ? data['errors'] : [];
  return [data, ...errors]
    .map((each) => (isRecord(each) ? (each['message'] ?? each['code']) : each))
    .filter((text) => typeof text === 'string' && text !== '')
    .map(String);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isFailedRequest = (thrown: unknown): thrown is FailedRequest =>
  isRecord(thrown) && typeof thrown['status'] === 'number' && 'request' in thrown;
