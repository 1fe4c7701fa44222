import { ContextOverflow, ToolsRefused } from '../../agent/model-errors.ts';
import { TellPerson, TryLater } from '../../lib/errors.ts';
import {
  saysOutputTooLong,
  saysOverflow,
  saysOverloaded,
  saysQuota,
  saysToolsRefused,
} from './refusal-words.ts';
import { bounded, retryAfterMs } from './retry-after.ts';

/** What a model server answered in place of a reply. */
export interface Refusal {
  /** HTTP; `undefined` for an error that came inside a stream that had begun well. */
  readonly status: number | undefined;
  /** The server's names for the error, the most telling first: its code, its type. */
  readonly codes: readonly unknown[];
  /** The words of the server: looked at, never quoted, as they may hold the key. */
  readonly words: string;
  readonly headers?: Headers | undefined;
  /** Milliseconds, where the body says how long to wait and the headers do not. */
  readonly retryAfterMs?: number | undefined;
}

/** The request that failed. */
export interface Attempt {
  readonly model: string;
  readonly withTools: boolean;
  /** The setting with the server's address, for people: `OPENAI_BASE_URL`. */
  readonly addressSetting: string;
}

/** Codes are shown to people; anything that does not look like a code is left out. */
const isCode = (code: string): boolean => /^[A-Za-z][\w.-]{0,59}$/.test(code);

/**
 * The error for the caller to throw. `cause` is what the SDK threw, for the log, which redacts.
 */
export function decisionOn(refusal: Refusal, attempt: Attempt, cause: unknown): Error {
  const { status } = refusal;
  const codes = refusal.codes.filter((code) => typeof code === 'string').filter(isCode);
  const told = [status ?? 'error in the stream', codes[0]]
    .filter((part) => part !== undefined)
    .join(', ');
  const says = [...codes, refusal.words].join('\n');
  // For an invalid key the message can be anything, so it is not interpreted.
  if (status === 401) return keyRefused(attempt, told, cause);
  return (
    aboutTheRequest(status, says, told, attempt, cause) ??
    aboutTheServer(refusal, says, told, cause) ??
    lasting(status, told, attempt, cause)
  );
}

function aboutTheRequest(
  status: number | undefined,
  says: string,
  told: string,
  { model, withTools }: Attempt,
  cause: unknown,
): Error | undefined {
  if (withTools && saysToolsRefused(says)) {
    return new ToolsRefused(`${model} does not support tools (${told})`, { cause });
  }
  if (status === 413 || saysOverflow(says)) {
    const words = `The conversation exceeds ${model}'s context window (${told}).`;
    return new ContextOverflow(words, { cause });
  }
  if (status === 400 && saysOutputTooLong(says)) {
    const words = `AGENT_MAX_TOKENS exceeds the output limit of ${model} (${told}). Set it lower.`;
    return new TellPerson(words, { cause });
  }
  return undefined;
}

function aboutTheServer(
  { status, headers, retryAfterMs: inBody }: Refusal,
  says: string,
  told: string,
  cause: unknown,
): Error | undefined {
  const wait = retryAfterMs(headers) ?? (inBody === undefined ? undefined : bounded(inBody));
  if (wait === undefined && (status === 402 || saysQuota(says))) {
    const words = `The model provider's quota is used up (${told}). Check your plan and billing there.`;
    return new TellPerson(words, { cause });
  }
  if (!isPassing(status) && !saysOverloaded(says)) return undefined;
  return new TryLater(`the model provider returned ${told}`, { cause, retryAfterMs: wait });
}

const isPassing = (status: number | undefined): boolean =>
  status === undefined || [408, 409, 425, 429].includes(status) || status >= 500;

function lasting(
  status: number | undefined,
  told: string,
  attempt: Attempt,
  cause: unknown,
): TellPerson {
  if (status === 403) return keyRefused(attempt, told, cause);
  if (status === 404) {
    const words = `The model provider does not know ${attempt.model} (${told}). Check MODEL and ${attempt.addressSetting}.`;
    return new TellPerson(words, { cause });
  }
  return new TellPerson(`The model provider rejected the request (${told}).`, { cause });
}

function keyRefused({ model }: Attempt, told: string, cause: unknown): TellPerson {
  const words = `The model provider did not accept the API key, or it does not allow ${model} (${told}).`;
  return new TellPerson(words, { cause });
}

/** There was no response, or it ended early. */
export const brokenOff = (cause: unknown): TryLater =>
  new TryLater(`the connection to the model server failed (${codeBelow(cause)})`, { cause });

const CAUSES = 5;

/** The system's code: `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_SOCKET`. SDKs wrap it. */
function codeBelow(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error) || depth > CAUSES) return 'no reason given';
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return codeBelow(thrown.cause, depth + 1);
}

/** The stream closed without its end marker. */
export const endedEarly = (): TryLater => new TryLater("the model's reply ended early");

/** A response that is not from the API, such as a proxy's page. */
export const notTheApi = ({ addressSetting }: Attempt): TellPerson =>
  new TellPerson(`The model server did not return an API response. Check ${addressSetting}.`);

/** A complete response to a request for a stream. */
export const notAStream = ({ addressSetting }: Attempt): TellPerson =>
  new TellPerson(
    `The model server does not support streaming, which is required. Check ${addressSetting}.`,
  );
