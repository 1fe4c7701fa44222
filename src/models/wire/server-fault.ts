import { fieldsOf } from './fields.ts';

/** The answer's head. No status for an error inside a stream. */
interface AnswerHead {
  readonly status?: number | undefined;
  readonly headers?: Headers;
}

/** An error that a server sent instead of a reply, or inside one. */
export class ServerFault extends Error {
  override readonly name = 'ServerFault';
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  readonly code: unknown;
  readonly type: unknown;
  /** The part of the request that caused it. */
  readonly param: unknown;

  /** `error`: the server's error object, or whatever it sent instead. */
  constructor(error: unknown, { status, headers }: AnswerHead) {
    const { code, status_code: statusCode, type, param } = fieldsOf(error);
    super(messageOfFault(error));
    this.code = code ?? statusCode;
    this.status = status ?? statusIn(this.code);
    this.headers = headers;
    this.type = type;
    this.param = param;
  }
}

/** Inside a stream, many servers send the HTTP status as `code`. */
function statusIn(code: unknown): number | undefined {
  const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined;
}

function messageOfFault(error: unknown): string {
  const { message, msg, status_msg: statusMessage, detail, metadata } = fieldsOf(error);
  const words = [message, msg, statusMessage, detail].find((one) => typeof one === 'string');
  // What the provider behind OpenRouter said.
  const { raw } = fieldsOf(metadata);
  if (typeof words === 'string' && typeof raw === 'string') return `${words}: ${raw}`;
  return words ?? (typeof error === 'string' ? error : JSON.stringify(message ?? error));
}

/** The error in the body of an unsuccessful answer. Servers put it under `error`, or it is the whole body. */
export function faultInBody(body: string, answer: AnswerHead): ServerFault {
  const value = jsonOf(body);
  return new ServerFault(errorIn(value) ?? value, answer);
}

/**
 * The error in an event, or in a body that came with status 200; `undefined` if it is none. Besides the known fields for an
 * error, that is an object which has a code and a message, and nothing of a reply.
 */
export function faultInEvent(
  name: string,
  data: unknown,
  headers: Headers,
): ServerFault | undefined {
  const error = errorIn(data) ?? (name === 'error' ? data : undefined);
  if (error !== undefined) return new ServerFault(error, { headers });
  const { object, choices, type, code, message, msg } = fieldsOf(data);
  const isCoded =
    ![undefined, null, 0, 200].includes(code as number) && typeof (message ?? msg) === 'string';
  const isOther = choices !== undefined || type !== undefined;
  return object === 'error' || (isCoded && !isOther)
    ? new ServerFault(data, { headers })
    : undefined;
}

function errorIn(value: unknown): unknown {
  const { error, base_resp: base, code } = fieldsOf(value);
  if (typeof error === 'string' && error !== '') return { message: error, code };
  if (error) return error;
  // MiniMax: 0 is success.
  const { status_code: own } = fieldsOf(base);
  return own ? { ...fieldsOf(base), code: MINIMAX_STATUS.get(own) ?? own } : undefined;
}

/**
 * MiniMax answers 200 to everything, with codes of its own: those that waiting does not help, as the HTTP status that means the
 * same. 2013 also says that a conversation is too long (MiniMax-AI/MiniMax-M2#119). *Unproven*: the meaning of the others.
 */
const MINIMAX_STATUS: ReadonlyMap<unknown, number> = new Map([
  [1004, 401],
  [1008, 402],
  [2013, 400],
  [2049, 401],
]);

/** The error that was thrown inside a client, which wraps it. */
export function faultBelow(error: unknown): ServerFault | undefined {
  if (error instanceof ServerFault) return error;
  return error instanceof Error ? faultBelow(error.cause) : undefined;
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
