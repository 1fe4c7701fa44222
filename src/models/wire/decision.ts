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

/** Codes are shown to people; what does not look like one may be anything. */
const isCode = (code: string): boolean => /^[A-Za-z][\w.-]{0,59}$/.test(code);

/**
 * What is to be done about a refusal, for the caller to throw. `cause` is what the SDK threw: for the
 * log, which redacts.
 */
export function decisionOn(refusal: Refusal, attempt: Attempt, cause: unknown): Error {
  const { status } = refusal;
  const codes = refusal.codes.filter((code) => typeof code === 'string').filter(isCode);
  const told = [status ?? 'inside a reply', codes[0]]
    .filter((part) => part !== undefined)
    .join(', ');
  const says = [...codes, refusal.words].join('\n');
  // A key can be refused in any words: none of them means what it means elsewhere.
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
    return new ToolsRefused(`${model} cannot be given tools (${told})`, { cause });
  }
  if (status === 413 || saysOverflow(says)) {
    const words = `This conversation has grown longer than ${model} can read (${told}).`;
    return new ContextOverflow(words, { cause });
  }
  if (status === 400 && saysOutputTooLong(says)) {
    const words = `${model} cannot write replies as long as AGENT_MAX_TOKENS asks for (${told}). Set it lower.`;
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
    const words = `The quota of the model provider is used up (${told}). See its page on billing.`;
    return new TellPerson(words, { cause });
  }
  if (!isPassing(status) && !saysOverloaded(says)) return undefined;
  return new TryLater(`the model provider answered ${told}`, { cause, retryAfterMs: wait });
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
  return new TellPerson(`The model provider refused the request (${told}).`, { cause });
}

function keyRefused({ model }: Attempt, told: string, cause: unknown): TellPerson {
  const words = `The model provider refused the key, or does not let it use ${model} (${told}).`;
  return new TellPerson(words, { cause });
}

/** No answer came, or it broke off. */
export const brokenOff = (cause: unknown): TryLater =>
  new TryLater(`the model server cannot be reached, or broke off (${codeBelow(cause)})`, { cause });

const CAUSES = 5;

/** What the system calls it: `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_SOCKET`. SDKs wrap it. */
function codeBelow(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error) || depth > CAUSES) return 'no reason was given';
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return codeBelow(thrown.cause, depth + 1);
}

/** The stream closed without the mark that ends a reply. */
export const endedEarly = (): TryLater => new TryLater('the reply of the model ended early');

/** An answer that is not in the form of the API, such as the page of a proxy. */
export const notTheApi = ({ addressSetting }: Attempt): TellPerson =>
  new TellPerson(
    `The model server answers with a web page, not in the form of its API. Check ${addressSetting}.`,
  );

/** An answer that came whole where a stream was asked for. */
export const notAStream = ({ addressSetting }: Attempt): TellPerson =>
  new TellPerson(
    `The model server does not stream its replies, and nothing else is read. Check ${addressSetting}.`,
  );
