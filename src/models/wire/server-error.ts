import {
  ContextOverflow,
  ImagesRejected,
  QuotaSpent,
  ToolsUnsupported,
} from '../../agent/model-errors.ts';
import type { ModelRequest } from '../../contracts/model.ts';
import { hasImages } from '../../agent/relief.ts';
import { TellPerson, TryLater } from '../../lib/errors.ts';
import { shortageBehind, TOO_LARGE_FOR_PROXY } from '../../lib/reason.ts';
import { withoutInvisible } from '../../lib/text/invisible.ts';
import {
  saysImages,
  saysOutputTooLong,
  saysOverflow,
  saysOverloaded,
  saysQuota,
  saysToolsUnsupported,
  windowInRejection,
} from './server-fault.ts';
import { withoutKeyForms } from './without-keys.ts';

/** An error that a model server sent instead of a reply. */
export interface ServerError {
  /** The HTTP status; `undefined` for an error inside a stream. */
  readonly status: number | undefined;
  /** The server's names for the error, such as its code and type, the most specific first. */
  readonly codes: readonly unknown[];
  /** The server's message. People see it, without what may be a key, if it says more than that the key is invalid. */
  readonly words: string;
  readonly headers?: Headers | undefined;
  /** How many milliseconds to wait, if the body says so and the headers do not. */
  readonly retryAfterMs?: number | undefined;
}

/** The server did not accept what was sent. Its words may not say why; another request may be accepted. */
export class RequestRejected extends TellPerson {
  /** Private, so that no log writes it: servers repeat keys. */
  readonly #said: string;
  /** The reply that was asked for is too long. */
  readonly isAboutOutput: boolean;

  constructor(
    message: string,
    {
      said,
      isAboutOutput,
      ...options
    }: ErrorOptions & Pick<RequestRejected, 'said' | 'isAboutOutput'>,
  ) {
    super(message, options);
    this.#said = said;
    this.isAboutOutput = isAboutOutput;
  }

  /** The server's words. Not for people: they may have anything. */
  get said(): string {
    return this.#said;
  }
}

/** The server does not accept the key (401). */
export class KeyDenied extends TellPerson {}

/** The request that failed. */
export interface AttemptedRequest {
  readonly model: string;
  readonly withTools: boolean;
  readonly withImages: boolean;
  /** The name of the setting that holds the server's address: `OPENAI_BASE_URL`. */
  readonly addressSetting: string;
}

export const attemptOf = (
  { tools, messages }: ModelRequest,
  to: Pick<AttemptedRequest, 'model' | 'addressSetting'>,
): AttemptedRequest => ({
  ...to,
  withTools: tools.length > 0,
  withImages: hasImages(messages),
});

/**
 * The error for the caller to throw. `cause` is what the SDK threw, for the log, which redacts.
 */
export function errorFor(failure: ServerError, attempt: AttemptedRequest, cause: unknown): Error {
  const { status } = failure;
  // Codes are shown to people; anything that does not look like a code is left out.
  const codes = failure.codes
    .filter((code) => typeof code === 'string')
    .filter((code) => /^[A-Za-z][\w.-]{0,59}$/.test(code));
  const details = [status ?? 'error in the stream', codes[0]]
    .filter((part) => part !== undefined)
    .join(', ');
  const text = [...codes, failure.words].join('\n');
  // For an invalid key the message can be anything, so it is not interpreted.
  if (status === 401) return new KeyDenied(invalidKey(attempt, details), { cause });
  return (
    requestError(status, text, details, attempt, cause, failure.words) ??
    imageError(status, text, details, attempt, cause) ??
    temporaryError(failure, text, details, cause) ??
    permanentError(failure, details, attempt, cause)
  );
}

/** The server cannot use the tools of a request, in any form. */
export const toolsUnsupported = (cause: Error, { model }: AttemptedRequest): ToolsUnsupported =>
  new ToolsUnsupported(`the server of ${model} cannot use the schemas of the tools`, { cause });

function requestError(
  status: number | undefined,
  text: string,
  details: string,
  { model, withTools, withImages }: AttemptedRequest,
  cause: unknown,
  said: string,
): Error | undefined {
  if (withTools && saysToolsUnsupported(text)) {
    return new ToolsUnsupported(`${model} does not support tools (${details})`, { cause });
  }
  if (saysOverflow(text)) {
    const words = `The conversation exceeds ${model}'s context window (${details}).`;
    return new ContextOverflow(words, { cause, window: windowInRejection(said) });
  }
  if (status === 413 && !withImages) {
    const words = `The request to ${model} is too large (${details}). ${TOO_LARGE_FOR_PROXY}`;
    return new ContextOverflow(words, { cause, isOfBytes: true });
  }
  if ((status === 400 || status === 422) && saysOutputTooLong(text)) {
    const words = `AGENT_MAX_TOKENS exceeds the output limit of ${model} (${details}). Set it lower.`;
    return new RequestRejected(words, { cause, said: text, isAboutOutput: true });
  }
  return undefined;
}

/** What servers say of images differs. If it was about something else, it is said again without them. */
function imageError(
  status: number | undefined,
  text: string,
  details: string,
  { model, withImages }: AttemptedRequest,
  cause: unknown,
): Error | undefined {
  const isAboutKey = status === 403 || status === 402 || saysQuota(text);
  const isUnknown = status === 404 && !saysImages(text);
  if (!withImages || isAboutKey || isUnknown || isAboutOther(status, text)) return undefined;
  return new ImagesRejected(`${model} did not accept images (${details})`, { cause });
}

/** Whether an error is about something other than the content of the request, such as a rate. llama.cpp calls every one `server_error`. */
const isAboutOther = (status: number | undefined, text: string): boolean =>
  status === 429 ||
  saysOverloaded(text.replace(/^server_error$/m, '')) ||
  (isPassing(status) && !saysImages(text));

function temporaryError(
  { status, headers, retryAfterMs: inBody }: ServerError,
  text: string,
  details: string,
  cause: unknown,
): Error | undefined {
  const wait = retryAfterMs(headers) ?? (inBody === undefined ? undefined : bounded(inBody));
  if (wait === undefined && (status === 402 || saysQuota(text))) {
    const words = `The model provider's quota is used up (${details}). Check your plan and billing there.`;
    return new QuotaSpent(words, { cause });
  }
  if (!isPassing(status) && !saysOverloaded(text)) return undefined;
  return new TryLater(`the model server returned ${details}`, { cause, retryAfterMs: wait });
}

const isPassing = (status: number | undefined): boolean =>
  status === undefined || [408, 409, 425, 429].includes(status) || status >= 500;

function permanentError(
  { status, words: said }: ServerError,
  details: string,
  attempt: AttemptedRequest,
  cause: unknown,
): TellPerson {
  if (status === 403) {
    const words = invalidKey(attempt, details) + quoted(withoutKeyForms(messageIn(said)));
    return new TellPerson(words, { cause });
  }
  if (status === 404) {
    const words = `The model server does not know ${attempt.model} (${details}). Check MODEL and ${attempt.addressSetting}.${quoted(said)}`;
    return new TellPerson(words, { cause });
  }
  const words = `The model server did not accept the request to ${attempt.model} (${details}).${quoted(said) || IN_LOG}`;
  if (status !== 400 && status !== 422) return new TellPerson(words, { cause });
  return new RequestRejected(words, { cause, said, isAboutOutput: false });
}

const IN_LOG = ' The operator can find the details in the service log.';

/** Servers may quote the request after what they have to say. */
const MOST_QUOTED = 400;

/**
 * The server's own words as a sentence: on one line, as code, without invisible characters. They end behind a blank or
 * a letter beyond ASCII, which no secret has, so that the redaction of the sentence finds every secret in them whole.
 */
function quoted(words: string): string {
  const line = withoutInvisible(messageIn(words).slice(0, 10 * MOST_QUOTED))
    .replaceAll(/\s+/g, ' ')
    .replaceAll('`', "'")
    .trim();
  const shown = line.length <= MOST_QUOTED ? line : beginningOf(line);
  return shown === '' ? '' : ` It says: \`${shown}\``;
}

function beginningOf(line: string): string {
  const [beginning = ''] = /^.*[^!-~\p{Cs}]/u.exec(line.slice(0, MOST_QUOTED)) ?? [];
  return beginning === '' ? '' : `${beginning.trimEnd()} …`;
}

/** SDKs put the status and the whole answer into their message, which then is JSON from its first brace on. */
function messageIn(words: string): string {
  try {
    const answer: unknown = JSON.parse(words.slice(Math.max(0, words.indexOf('{'))));
    const { error = answer } = Object(answer) as { readonly error?: unknown };
    const { message } = Object(error) as { readonly message?: unknown };
    return typeof message === 'string' ? message : words;
  } catch {
    return words;
  }
}

const invalidKey = ({ model }: AttemptedRequest, details: string): string =>
  `The model server did not accept the API key, or the key has no access to ${model} (${details}). The operator should check the key and its permissions.`;

/** There was no response, or it ended early. */
export function connectionFailed(cause: unknown): TryLater {
  const code = codeBelow(cause);
  const words = `the connection to the model server failed (${shortageBehind(code) ?? code})`;
  return new TryLater(words, { cause });
}

const CAUSES = 5;

/** The system's code: `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_SOCKET`. SDKs wrap it. */
export function codeBelow(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error) || depth > CAUSES) return 'no reason given';
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return codeBelow(thrown.cause, depth + 1);
}

/** The stream closed without its end marker. */
export const replyEndedEarly = (): TryLater => new TryLater("the model's reply ended early");

/** A response that is not from the API, such as a proxy's page: the address is wrong, or the server is away for now. */
export class NotTheApi extends TellPerson {}

export const notTheApi = ({ addressSetting }: AttemptedRequest): NotTheApi =>
  new NotTheApi(`The model server did not return an API response. Check ${addressSetting}.`);

/** A complete response to a request for a stream. */
export const notAStream = ({ addressSetting }: AttemptedRequest): TellPerson =>
  new TellPerson(
    `The model server does not support streaming, which is required. Check ${addressSetting}.`,
  );

/** The longest wait that is honoured. */
const LONGEST_MS = 24 * 60 * 60_000;

/**
 * How many milliseconds an answer asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an
 * HTTP date; `undefined` if it does not say or cannot be read.
 */
export function retryAfterMs(
  headers: Headers | undefined,
  now = Date.parse(headers?.get('date') ?? '') || Date.now(),
): number | undefined {
  const milliseconds = numberIn(headers?.get('retry-after-ms'));
  if (milliseconds !== undefined) return bounded(milliseconds);
  const text = headers?.get('retry-after');
  const seconds = numberIn(text);
  if (seconds !== undefined) return bounded(seconds * 1000);
  // `Date.parse` accepts texts that are not dates, such as `-5`.
  const date = Date.parse(text?.endsWith('GMT') === true ? text : '');
  return Number.isNaN(date) ? undefined : bounded(date - now);
}

/** Clamps a wait, in milliseconds, to what is honoured. */
const bounded = (milliseconds: number): number =>
  Math.min(Math.max(0, Math.ceil(milliseconds)), LONGEST_MS);

function numberIn(text: string | null | undefined): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(text ?? '') ? Number(text) : undefined;
}
