/** What is known of the answer; no status where it began well. */
interface Told {
  readonly status?: number | undefined;
  readonly headers?: Headers;
}

/** What a server of OpenAI's wires says in place of a reply, or in the middle of one. */
export class ServerFault extends Error {
  override readonly name = 'ServerFault';
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  readonly code: unknown;
  readonly type: unknown;
  /** The part of the request that is at fault. */
  readonly param: unknown;

  /** `told`: the object that tells of it, where there is one, or else whatever there is. */
  constructor(told: unknown, { status, headers }: Told) {
    const { message = told, code, type, param } = Object(told) as Record<string, unknown>;
    super(typeof message === 'string' ? message : JSON.stringify(message));
    this.status = status;
    this.headers = headers;
    this.code = code;
    this.type = type;
    this.param = param;
  }
}

/** The fault in an answer; servers put it under `error`, or it is the whole body. */
export function faultIn(body: string, answer: Response): ServerFault {
  return new ServerFault(told(body), answer);
}

/** The fault that was thrown below the client, which wraps it. */
export function faultBelow(error: unknown): ServerFault | undefined {
  if (error instanceof ServerFault) return error;
  return error instanceof Error ? faultBelow(error.cause) : undefined;
}

function told(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return (Object(value) as Record<string, unknown>)['error'] ?? value;
  } catch {
    return body;
  }
}
