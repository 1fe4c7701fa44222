// Reads what a failed request means. Nothing of the request's headers or body gets into a message.
import { TryLater, messageOf } from '../lib/errors.ts';
import type { Redactor } from '../lib/redact.ts';
import { cutCharacters } from '../lib/text.ts';
import {
  AnswerLost,
  Archived,
  Forbidden,
  Gone,
  Refused,
  Suspended,
  Unauthorized,
} from './errors.ts';
import { PERMISSIONS } from './permissions.ts';

/** The parts of octokit's RequestError that are read; it is known by its shape. */
interface FailedRequest {
  readonly status: number;
  readonly response?: {
    readonly headers: FailedHeaders;
    readonly data: unknown;
  };
}

type FailedHeaders = Readonly<Record<string, string | number | undefined>>;

export interface Asked {
  readonly method: string;
  /** The route with its placeholders: it holds no value of ours. */
  readonly route: string;
}

/** Where GitHub says nothing of how long: its documentation asks for a minute. */
const SECONDARY_LIMIT_MS = 60_000;
const LONGEST_REASON = 500;
/** GitHub tells when it is over: this is for those who missed that. */
const SUSPENDED_MS = 60 * 60_000;
const SUSPENDED_WORDS =
  "The App's installation is suspended, so GitHub lets it do nothing here. An owner of the account lifts that in the settings of its installed GitHub Apps, or the operator in those of the App; then the work goes on by itself.";

/** GitHub tells these apart in its message alone: the words that it documents, or answers with. */
const SUSPENDED = /installation.*suspended/i;
const ARCHIVED = /archived/i;
const LOCKED = /\blocked\b/i;
const LACKS_PERMISSION = /not accessible by integration/i;

const isAbout = (reasons: readonly string[], words: RegExp): boolean =>
  words.test(reasons.join(' '));

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
  const words = `${called(asked)} was answered with ${status}: ${reasons.join('; ').replace(/\.$/, '') || 'no reason'}`;
  if (status >= 500 || status === 408) return new AnswerLost(words);
  if (status === 403 && isAbout(reasons, SUSPENDED))
    return new Suspended(SUSPENDED_WORDS, { retryAfterMs: SUSPENDED_MS });
  return refusalOf(status, words, { reasons, needs: neededIn(response.headers) });
}

const called = ({ method, route }: Asked): string => `GitHub's ${method} ${route}`;

interface Said {
  readonly reasons: readonly string[];
  /** The permission that the request needs, where GitHub names it. */
  readonly needs: string | undefined;
}

function refusalOf(status: number, words: string, said: Said): Refused {
  const { reasons } = said;
  switch (status) {
    case 401:
      return new Unauthorized(`${words}. Check the App's id and private key.`, status, reasons);
    case 403:
    case 451:
      return isAbout(reasons, ARCHIVED)
        ? new Archived(ARCHIVED_WORDS, status, reasons)
        : new Forbidden(`${adviceFor(said)} (${words}.)`, status, reasons);
    case 404:
    case 410:
      return new Gone(
        `It was deleted or moved, or the App may not see it. (${words}.)`,
        status,
        reasons,
      );
    default:
      return new Refused(`${words}.`, status, reasons);
  }
}

const ARCHIVED_WORDS =
  'The repository is archived, so GitHub lets nobody write to it. An administrator unarchives it in its settings; then ask for the work again.';

function adviceFor({ reasons, needs }: Said): string {
  if (isAbout(reasons, LOCKED))
    return 'The conversation is locked: somebody with write access unlocks it.';
  if (isAbout(reasons, LACKS_PERMISSION)) return lacking(needs === undefined ? [] : [needs]);
  return "Check the App's permissions and the repository's rules.";
}

/** What is missing, and who mends it. `permissions` such as `issues: write`; empty: not known. */
export function lacking(permissions: readonly string[], settings?: string): string {
  const names = permissions.map((one) => `\`${one}\``).join(', ');
  const what = permissions.length > 1 ? `the permissions ${names}` : `the permission ${names}`;
  const where =
    settings === undefined
      ? "the settings of the App's installation"
      : `[the settings of the App's installation](${settings})`;
  return `The App lacks ${permissions.length === 0 ? 'a permission' : what}. An owner of the account accepts what the App asks for in ${where}; if nothing waits to be accepted there, the operator adds it in the settings of the App first.`;
}

/**
 * `issues: write`, of `issues=write; pull_requests=write`, any one of which would do. Where a read is
 * refused, what else the App asks for is missing as well.
 */
function neededIn(headers: FailedHeaders): string | undefined {
  const [first] = String(headers['x-accepted-github-permissions'] ?? '').split(';');
  const [, name, level] = /^\s*(\w{1,40})=(\w{1,10})/.exec(first ?? '') ?? [];
  if (name === undefined) return undefined;
  const asksFor = new Map<string, string>(Object.entries(PERMISSIONS)).get(name);
  return `${name}: ${asksFor ?? level}`;
}

/** Milliseconds to wait; `undefined` when the answer is no rate limit. */
function rateLimitWait(
  status: number,
  headers: FailedHeaders,
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
