import type { Message } from '../../src/contracts/model.ts';
import type { ModelAdapter } from '../../src/models/provider.ts';

/**
 * The answers that every wire has, one fixture file for each, and what they tell:
 *
 * | case             | the reply                                                                     |
 * |------------------|-------------------------------------------------------------------------------|
 * | text             | `TEXT`; usage: 120 input, 80 of them cached, 16 output                        |
 * | call             | text `SPOKEN`, `read_file {path: 'src/a.ts'}`                                 |
 * | parallel         | `read_file {path: 'src/a.ts'}`, `read_file {path: 'src/b.ts'}`                |
 * | reasoning        | thought `THOUGHT` with an opaque item, then the call of `call`; usage: as     |
 * |                  | `text`, 12 of the output for reasoning                                        |
 * | cut              | `BEGUN`, stopped at the output limit                                          |
 * | cut-call         | a call whose arguments stop in the middle, at the output limit                |
 * | filtered         | stopped by the provider's safety filter                                       |
 * | bad-arguments    | `read_file` with arguments that are no JSON; they hold `BROKEN`               |
 * | double-encoded   | `read_file` with the JSON of its arguments as a JSON string                   |
 * | no-arguments     | `list_directory` with no arguments at all                                     |
 * | same-index       | the calls of `parallel`, under one index and two ids                          |
 * | no-index         | the calls of `parallel`, with no index                                        |
 * | no-id            | the calls of `parallel`, with no ids                                          |
 * | error-in-stream  | text begins, then the server says that it is overloaded                       |
 * | 400              | a request that the server rejects                                             |
 * | 401              | an invalid key; the server's message quotes it: `SECRET`                      |
 * | 404              | a model that the server does not know                                         |
 * | 429              | a rate limit; asks to wait for 7 seconds                                      |
 * | quota            | no money left, or no plan that includes the model                             |
 * | 500              | a fault of the server                                                         |
 * | overloaded       | too many requests from all customers, in the provider's words                 |
 * | overflow         | the conversation is longer than the model can read                            |
 * | no-tools         | this model cannot be given tools                                              |
 */
export type Case =
  | 'text'
  | 'call'
  | 'parallel'
  | 'reasoning'
  | 'cut'
  | 'cut-call'
  | 'filtered'
  | 'bad-arguments'
  | 'double-encoded'
  | 'no-arguments'
  | 'same-index'
  | 'no-index'
  | 'no-id'
  | 'error-in-stream'
  | '400'
  | '401'
  | '404'
  | '429'
  | 'quota'
  | '500'
  | 'overloaded'
  | 'overflow'
  | 'no-tools';

export const TEXT = 'Grüße — “hello” 👋\n\twith a tab';
export const SPOKEN = 'I look at the file.';
export const THOUGHT = 'The file comes first.';
export const BEGUN = 'It begins';
export const BROKEN = '<<broken>>';
/** The key that `open` gives the adapter, and that the server quotes in the case `401`. */
export const SECRET = 'sk-secret-0123456789';
/** A message with images. */
export const PICTURED: Message = {
  role: 'user',
  text: 'Compare them. [image 1: attached] [image 3: attached]',
  images: [
    { id: 'a', number: 1, type: 'image/png', width: 3, height: 2, bytes: 3, data: 'AAAA' },
    { id: 'b', number: 3, type: 'image/jpeg', width: 3, height: 2, bytes: 3, data: 'BBBB' },
  ],
};

/** The model that `open` opens. */
export const MODEL = 'test-model';

/** An adapter and the wire that it speaks. */
export interface Wire {
  /** The adapter for `MODEL` with the key `SECRET`, at a server: `http://127.0.0.1:PORT`. */
  open(serverUrl: string): Promise<ModelAdapter>;
  /** The folder below `test/fixtures/models` with a file for each case that is not absent. */
  readonly fixtures: string;
  /** Cases that this wire cannot have, and why not. */
  readonly absent: Readonly<Partial<Record<Case, string>>>;
  /** The parts of a request that all requests of a session share, and its messages. */
  conversation(body: Record<string, unknown>): {
    readonly shared: unknown;
    readonly messages: readonly unknown[];
  };
  /** A message of a person with two images, as it is sent. */
  readonly withImages: unknown;
  /** Pieces of JSON from the opaque items of `reasoning`, as the next request has to hold them. */
  readonly opaque: readonly string[];
  /** Tokens that `text` and `reasoning` say were read from the cache; 80 when left out. */
  readonly cached?: number;
  /** Tokens that `text` and `reasoning` say were written to the cache; 0 when left out. */
  readonly written?: number;
  /** Tokens for reasoning that the case `reasoning` tells of; 12 when left out. */
  readonly reasoningTokens?: number;
}
