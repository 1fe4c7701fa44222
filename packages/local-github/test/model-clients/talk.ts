// What the tests see of a model, whatever client they talk through.
interface SeenCall {
  readonly id: string;
  readonly name: string;
  /** `undefined` if they are not complete JSON. */
  readonly args: unknown;
}

interface SeenReply {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly SeenCall[];
  readonly isCut: boolean;
  /** Deltas of text or of arguments. */
  readonly pieces: number;
  /** As we count: `cached` are part of `input`, `reasoning` of `output`. */
  readonly usage: { input: number; cached: number; output: number; reasoning: number };
}

/** A conversation that keeps what the model said as it came. */
export interface Talk {
  say(text: string): void;
  /** The results of the last reply's calls. */
  give(...outputs: string[]): void;
  /** Rejects when the stream ends without the vendor's end marker. */
  ask(options?: { tools?: boolean; system?: string }): Promise<SeenReply>;
  /** What a client forgets that knows nothing of opaque items. */
  forgetReasoning(): void;
}

export interface ModelClient {
  readonly name: string;
  /** Whether reasoning has to come back. */
  readonly seals: boolean;
  readonly caches: boolean;
  talk(url: string, key: string): Talk;
}

export const MODEL = 'some-model';
export const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } } as const;
export const TOOL = { name: 'read_file', description: 'Reads a file', parameters: SCHEMA };

export const readArgs = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const missingEnd = (): Error => new Error('the stream ended without its end marker');
