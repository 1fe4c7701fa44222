// What a family of model servers is in tests, and the forms of requests and streams that several of them share.
import type { Problem, Wire } from '../../packages/local-github/src/model/wires/wire.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- whatever was sent, which the servers below read
export type Fields = Readonly<Record<string, any>>;

export interface Family {
  readonly name: string;
  /** Where its behaviour was reported. */
  readonly source: string;
  readonly wire: Wire;
  /** `provider:name`. The name is the word by which a stub of several families knows whom is asked. */
  readonly model: string;
  /** The variables that point Issuewright at it. */
  readonly variables: (url: string) => Readonly<Record<string, string>>;
  /** What it says of a request that it does not take. */
  readonly rejects?: (body: Fields) => Rejection | undefined;
  /** The request without what was added only because it asked for that, for a model that counts its replies. */
  readonly reads?: (body: Fields) => Fields;
  /** Its own form of a stream. */
  readonly sends?: (frames: readonly string[]) => readonly string[];
  /** In its own words; those of the wire if omitted. */
  readonly tooLong?: (tokens: number, limit: number) => Rejection;
  /** Fields of its model in `GET /models`. */
  readonly listed?: object;
  /** Issuewright learns this of it. */
  readonly learnt: readonly string[];
}

/** A status with a body, or a problem in the words of the wire. */
export type Rejection = Problem | { readonly status: number; readonly body: unknown };

export const openAI = (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' });
export const said = (message: string, more: object = {}, status = 400): Rejection => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null, ...more } },
});

export type Chunk = Record<string, unknown> & { readonly choices?: Fields[] };

/** Changes the chunks of a stream; other events stay. */
export const withChunks =
  (change: (chunk: Chunk) => readonly object[]) =>
  (frames: readonly string[]): readonly string[] =>
    frames.flatMap((frame) => {
      const data = /^data: (\{.*\})\n\n$/s.exec(frame)?.[1];
      if (data === undefined) return [frame];
      const changed = change(JSON.parse(data) as Chunk);
      return changed.map((one) => `data: ${JSON.stringify(one)}\n\n`);
    });

const withCalls =
  (change: (call: Fields) => object) =>
  (chunk: Chunk): Chunk => {
    const [choice] = chunk.choices ?? [];
    const calls = choice?.['delta'].tool_calls as Fields[] | undefined;
    if (calls === undefined) return chunk;
    const delta = { ...choice?.['delta'], tool_calls: calls.map(change) };
    return { ...chunk, choices: [{ ...choice, delta }] };
  };

export const chunkOf = (delta: object): object => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: null }],
});

/** Puts chunks behind the first one, which says the role. */
export const behindFirst = (...more: readonly object[]) => {
  let isFirst = true;
  return (chunk: Chunk): readonly object[] => {
    if (!isFirst) return [chunk];
    isFirst = false;
    return [chunk, ...more];
  };
};

export const assistants = ({ messages: all }: Fields): Fields[] =>
  all.filter(({ role }: Fields) => role === 'assistant');

/** Every keyword of a schema with a plain value, at any depth. */
export const keywordsIn = (schema: unknown): string[] =>
  typeof schema === 'object' && schema !== null
    ? Object.entries(schema).flatMap(([name, value]) =>
        typeof value === 'object' ? keywordsIn(value) : [name],
      )
    : [];

export const idsIn = ({ messages: all }: Fields): readonly string[] =>
  all.flatMap((one: Fields) => [
    ...(one['tool_call_id'] ? [one['tool_call_id']] : []),
    ...(one['tool_calls'] ?? []).map(({ id }: Fields) => id),
  ]);

export const withoutIds = withCalls(({ id: _id, ...call }) => ({ ...call, index: 0 }));

/** A new id with each piece of a call. */
export const withNewIds = () => {
  let count = 0;
  return withCalls((call) => ({ ...call, id: `piece_${(count += 1)}` }));
};

/** The arguments so far with each piece. */
export const withArgumentsAgain = () => {
  const soFar = new Map<number, string>();
  return withCalls((call) => {
    const whole = (soFar.get(call['index']) ?? '') + (call['function'].arguments ?? '');
    soFar.set(call['index'], whole);
    return { ...call, function: { ...call['function'], arguments: whole } };
  });
};
