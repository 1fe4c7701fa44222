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
    const { message = error, code, type, param } = Object(error) as Record<string, unknown>;
    super(typeof message === 'string' ? message : JSON.stringify(message));
    this.status = status;
    this.headers = headers;
    this.code = code;
    this.type = type;
    this.param = param;
  }
}

/** The error in an answer. Servers put it under `error`, or it is the whole body. */
export function faultIn(body: string, answer: Response): ServerFault {
  return new ServerFault(errorObject(body), answer);
}

/** The error that was thrown inside the client, which wraps it. */
export function faultBelow(error: unknown): ServerFault | undefined {
  if (error instanceof ServerFault) return error;
  return error instanceof Error ? faultBelow(error.cause) : undefined;
}

function errorObject(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return (Object(value) as Record<string, unknown>)['error'] ?? value;
  } catch {
    return body;
  }
}
