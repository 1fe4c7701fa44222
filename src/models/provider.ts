import type { ImageType } from '../contracts/image.ts';
import type { Model } from '../contracts/model.ts';
import type { Embed } from './wire/vectors.ts';
import { z } from 'zod';
import { foreignKey } from './wire/without-keys.ts';

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

// Kinds of settings that several providers share.

/** Sent in a header. */
export const key = z
  .string()
  .trim()
  .regex(/^[\x21-\x7E]*$/, 'must be one word of ASCII characters: copy it again')
  .regex(
    /^[^,;"'`(){}<>[\]\\]*$/,
    'has a `,`, a `;`, a quote, a bracket or a `\\`, which no key has: set one key, and only the key',
  );

/** Checks a key that the server of `provider` gets: if it has the form of another provider's keys, it is in the wrong variable. */
export const providerKey =
  <Name extends string>(provider: string, name: Name) =>
  (values: Readonly<{ [_ in Name]?: string | undefined }>, context: z.RefinementCtx): void => {
    const message = foreignKey(values[name] ?? '', provider);
    if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
  };

/** An http(s) address without trailing slashes. */
export const address = z
  .url({
    protocol: /^https?$/,
    error: 'must be an http(s) address, such as `https://models.example.com/v1`',
  })
  // The address is journaled and shown, so it must not contain a password.
  .refine(
    (url) => `${URL.parse(url)?.username ?? ''}${URL.parse(url)?.password ?? ''}` === '',
    'must not contain a user name or password',
  )
  .refine(
    (url) => !/[?#]/.test(url),
    'must not contain `?` or `#`: paths are added to it, and keys have variables of their own',
  )
  .refine(
    (url) => !/\/(?:chat\/completions|completions|responses|messages|embeddings)\/*$/.test(url),
    'must be the address before the path of a request, such as `https://models.example.com/v1`',
  )
  .transform((url) => url.replace(/(?<!\/)\/+$/, ''));

export const wire = z.enum(['responses', 'chat'], { error: 'must be `responses` or `chat`' });

const HEADERS =
  'must be a JSON object of names and values, such as `{"x-portkey-provider": "bedrock"}`';
/** Made by us, or by the transport. */
const OWN_HEADERS =
  /^(?:authorization|host|content-.*|transfer-encoding|connection|accept-encoding)$/i;

/** Headers for every request. */
export const headers = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: HEADERS });
      return z.NEVER;
    }
  })
  .pipe(
    z.record(
      z
        .string()
        .regex(/^[A-Za-z][\w-]{0,99}$/, HEADERS)
        .refine((name) => !OWN_HEADERS.test(name), 'has a header that is set already'),
      z.string(HEADERS).regex(/^[\x20-\x7E]{1,8000}$/, HEADERS),
      HEADERS,
    ),
  );

/** Minutes without a byte after which a server counts as gone. `unset`: what holds without it. */
export const silence = (unset = '`30` for an address of a private network, otherwise `5`') =>
  z.coerce
    .number('must be a number of minutes')
    .int('must be a whole number of minutes')
    .min(1, 'must be from 1 to 720 minutes')
    .max(720, 'must be from 1 to 720 minutes')
    .optional()
    .meta({
      unset,
      description:
        'Minutes that the server may send nothing, even before the first token; then the request is retried',
    });
