// What a model adapter throws besides `TellPerson` and `TryLater`.
import { TellPerson, TryLater } from '../lib/errors.ts';

/** The server supports no tools for this model. The same request without tools may succeed. */
export class ToolsUnsupported extends Error {
  override readonly name = 'ToolsUnsupported';
}

/** The server does not accept the images of the request. The same request without them may succeed. */
export class ImagesRejected extends Error {
  override readonly name = 'ImagesRejected';
}

/** The conversation is longer than the model can read. */
export class ContextOverflow extends Error {
  override readonly name = 'ContextOverflow';
  /** Tokens that the model can read, if the server says so. */
  readonly window: number | undefined;
  /** The request is too large for what it goes through, which may have nothing to do with the model. */
  readonly isOfBytes: boolean;

  constructor(
    message: string,
    {
      window,
      isOfBytes = false,
      ...options
    }: ErrorOptions & { window?: number | undefined; isOfBytes?: boolean } = {},
  ) {
    super(message, options);
    this.window = window;
    this.isOfBytes = isOfBytes;
  }
}

/** The provider fails, or is too busy. Another provider may not be. */
export class ProviderOutage extends TryLater {}

/** What the provider sold is used up, which does not pass by itself. Another provider may have some left. */
export class QuotaSpent extends TellPerson {}
