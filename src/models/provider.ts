import type { z } from 'zod';
import type { ImageType } from '../contracts/image.ts';
import type { Model } from '../contracts/model.ts';
import type { Embed } from './wire/vectors.ts';

/** What one provider implements. `index.ts` adds name, context window, prices and retries. */
export interface ModelAdapter {
  readonly callsTools: boolean;
  /** The types of images that the API takes, for a model that sees images. */
  readonly imageTypes: readonly ImageType[];
  /** Set if the settings decide it. Otherwise the catalog knows it. */
  readonly contextWindow?: number;
  /** Asks the server, which may not say; called if nobody else knows. Never throws, and takes seconds at most. */
  readonly lookUpWindow?: () => Promise<number | undefined>;
  /** What it does since the server rejected something, for people: "leaves out `stream_options`". */
  readonly learnt?: () => readonly string[];
  /** Makes one attempt. The catalog adds the cost. */
  readonly reply: (request: Parameters<Model['reply']>[0]) => Promise<UnpricedReply>;
}

export type UnpricedReply = Omit<Awaited<ReturnType<Model['reply']>>, 'cost'>;

/** A model provider: one file, and one line in `index.ts`. SDKs are imported when it is opened. */
export interface Provider<Variables extends z.ZodObject = z.ZodObject> {
  /** The word before the first colon of `MODEL`. */
  readonly name: string;
  /**
   * The environment variables that configure it. They are checked if `MODEL` names the provider. A
   * message says what is wrong and where to get a correct value.
   */
  readonly variables: Variables;
  /** Secrets that must not appear in any log or comment. */
  secrets(settings: z.output<Variables>): readonly string[];
  /** Who receives the code and the comments, for people: "OpenAI (api.openai.com)". */
  destination(settings: z.output<Variables>, model: string): string;
  /** Whether its tokens cost nothing. Without this, all tokens cost money. */
  isFree?(model: string): boolean;
  open(model: string, settings: z.output<Variables>): Promise<ModelAdapter>;
  /** Opens an embedding model; missing if the provider has none. */
  embeddings?(model: string, settings: z.output<Variables>): Promise<Embed>;
}

/** The host of an http(s) address, with its port unless that is the default one. */
export const hostOf = (url: string): string => new URL(url).host;
