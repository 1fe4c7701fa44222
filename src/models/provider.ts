import type { z } from 'zod';
import type { Model } from '../contracts/model.ts';

/** What an adapter knows by itself; `index.ts` adds name, context window, prices and retries. */
export interface ModelAdapter {
  readonly callsTools: boolean;
  /** Where the settings decide it rather than the model; the catalog has the others. */
  readonly contextWindow?: number;
  /** One attempt. `cost` is left to the catalog. */
  readonly reply: (request: Parameters<Model['reply']>[0]) => Promise<UnpricedReply>;
}

export type UnpricedReply = Omit<Awaited<ReturnType<Model['reply']>>, 'cost'>;

/** A model provider: one file, and one line in `index.ts`. SDKs are imported when it is opened. */
export interface Provider<Variables extends z.ZodObject = z.ZodObject> {
  /** The word before the first colon of `MODEL`. */
  readonly name: string;
  /**
   * The environment variables that set it up, by their own names. Checked when `MODEL` names the
   * provider; a message says what is wrong and where to get a right value.
   */
  readonly variables: Variables;
  /** Values that no log and no comment may show. */
  secrets(settings: z.output<Variables>): readonly string[];
  /** Who receives the code and the comments, for people: "OpenAI (api.openai.com)". */
  destination(settings: z.output<Variables>, model: string): string;
  /** Whether nobody charges for its tokens. A provider without this charges for all of them. */
  isFree?(model: string): boolean;
  open(model: string, settings: z.output<Variables>): Promise<ModelAdapter>;
}
