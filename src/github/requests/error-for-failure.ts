// Turns a failed request into one of our errors. Messages never contain the request's headers or body.
import { rateLimitWait, TryLater } from '../../lib/errors.ts';
import { reasonOf, TOO_LARGE_FOR_PROXY } from '../../lib/reason.ts';
import type { Redactor } from '../../lib/text/redact.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import {
  Archived,
  Forbidden,
  GitHubDenied,
  NotFound,
  ResponseLost,
  Suspended,
  Unauthorized,
} from '../errors.ts';
import { PERMISSIONS } from '../access/permissions.ts';
import { isBroken } from './whole-responses.ts';

/** The parts of octokit's RequestError that we read; it is recognised by its shape. */
interface FailedRequest {
  readonly status: number;
  readonly response?: {
    readonly headers: FailedHeaders;
    readonly data: unknown;
  };
}

type FailedHeaders = Readonly<Record<string, string | number | undefined>>;

export interface RequestRoute {
  readonly method: string;
  /** The route with its placeholders, without values. */
  readonly route: string;
}

const LONGEST_REASON = 500;
const SUSPENDED_WORDS =
  "The App's installation is suspended, so GitHub denies all access. An account owner can unsuspend it in the account's settings under GitHub Apps, or the operator in the App's settings. The work then resumes automatically.";

/** GitHub distinguishes these only by the message: the words it documents or returns. */
const SUSPENDED = /installation.{0,40}suspended/i;
const ARCHIVED = /archived/i;
const LOCKED = /\blocked\b/i;
const LACKS_PERMISSION = /not accessible by (?:integration|personal access token)/i;

const isAbout = (reasons: readonly string[], words: RegExp): boolean =>
  words.test(reasons.join(' '));

/** What people can do about a denial, which depends on whose credentials were denied. */
export interface Advice {
  readonly unauthorized: string;
  readonly notFound: string;
  readonly forbidden: string;
  /** `needs`: the permission, such as `issues: write`, if GitHub names it. */
  readonly lacking: (needs: string | undefined) => string;
}

const OF_APP: Advice = {
  unauthorized: 'Check APP_ID and the private key.',
  notFound: 'It was deleted or moved, or the App has no access to it.',
  forbidden: "Check the App's permissions and the repository's rules.",
  lacking: (needs) => missingPermissionsMessage(needs === undefined ? [] : [needs]),
};

/** The error for a failed request: `TryLater`, `ResponseLost`, or a kind of `GitHubDenied`. */
export function errorForFailure(
  thrown: unknown,
  asked: RequestRoute,
  redactor: Redactor,
  advice: Advice = OF_APP,
): Error {
  if (!isFailedRequest(thrown) || thrown.response === undefined) {
    // Octokit repeats the words of the system, and keeps its error.
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
    return new ResponseLost(`${called(asked)} failed: ${redactor.redact(reasonOf(cause))}`);
  }
  const { status, response } = thrown;
  if (isBroken(response))
    return new ResponseLost(`${called(asked)} returned ${status}, and its reason was cut`);
  // Redacted before it is shortened: half a secret is still a secret.
  const reasons = reasonsOf(response.data).map((reason) =>
    cutCharacters(redactor.redact(reason), LONGEST_REASON, '…'),
  );
  const wait = rateLimitWait(status, response.headers, reasons.join(' '));
  if (wait !== undefined)
    return new TryLater(`GitHub's rate limit was reached (${status})`, { retryAfterMs: wait });
  const words = `${called(asked)} returned ${status}: ${reasons.join('; ').replace(/\.$/, '') || 'no reason given'}`;
  if (status >= 500 || status === 408) return new ResponseLost(words);
  if (status === 403 && isAbout(reasons, SUSPENDED)) return new Suspended(SUSPENDED_WORDS);
  return deniedErrorFor(status, words, { reasons, needs: neededIn(response.headers), advice });
}

const called = ({ method, route }: RequestRoute): string => `GitHub's ${method} ${route}`;

interface DeniedDetails {
  readonly reasons: readonly string[];
  /** The permission that the request needs, if GitHub names it. */
  readonly needs: string | undefined;
  readonly advice: Advice;
}

function deniedErrorFor(status: number, words: string, said: DeniedDetails): GitHubDenied {
  const { reasons, advice } = said;
  switch (status) {
    case 401:
      return new Unauthorized(`${words}. ${advice.unauthorized}`, status, reasons);
    case 403:
    case 451:
      return isAbout(reasons, ARCHIVED)
        ? new Archived(ARCHIVED_WORDS, status, reasons)
        : new Forbidden(`${adviceFor(said)} (${words}.)`, status, reasons);
    case 404:
    case 410:
      return new NotFound(`${advice.notFound} (${words}.)`, status, reasons);
    case 413:
      return new GitHubDenied(`${TOO_LARGE_FOR_PROXY} (${words}.)`, status, reasons);
    default:
      return new GitHubDenied(`${words}.`, status, reasons);
  }
}

const ARCHIVED_WORDS =
  'The repository is archived, so it is read-only. An administrator can unarchive it in its settings.';

function adviceFor({ reasons, needs, advice }: DeniedDetails): string {
  if (isAbout(reasons, LOCKED))
    return 'The conversation is locked. Someone with write access can unlock it.';
  return isAbout(reasons, LACKS_PERMISSION) ? advice.lacking(needs) : advice.forbidden;
}

/** Which permissions are missing and who can grant them. `permissions` such as `issues: write`; empty: unknown. */
export function missingPermissionsMessage(
  permissions: readonly string[],
  settings?: string,
): string {
  const names = permissions.map((one) => `\`${one}\``).join(', ');
  const what = permissions.length > 1 ? `the permissions ${names}` : `the permission ${names}`;
  const where =
    settings === undefined
      ? "the settings of the App's installation"
      : `[the settings of the App's installation](${settings})`;
  return `The App lacks ${permissions.length === 0 ? 'a permission' : what}. An account owner must approve the pending permission request in ${where}. If none is pending, the operator must add it to the App first.`;
}

/**
 * `issues: write` from `issues=write; pull_requests=write`, any one of which is enough. If reading is
 * denied, the level the App asks for is missing as well.
 */
function neededIn(headers: FailedHeaders): string | undefined {
  const [first] = String(headers['x-accepted-github-permissions'] ?? '').split(';');
  const [, name, level] = /^\s*(\w{1,40})=(\w{1,10})/.exec(first ?? '') ?? [];
  if (name === undefined) return undefined;
  const asksFor = new Map<string, string>(Object.entries(PERMISSIONS)).get(name);
  return `${name}: ${asksFor ?? level}`;
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
