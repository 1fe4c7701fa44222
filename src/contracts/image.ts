// Images that people attached to what they wrote on GitHub.

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** What is known of an image without its content. */
export interface ImageFacts {
  /** SHA-256 of its content, in hexadecimal. */
  readonly id: string;
  readonly type: ImageType;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

export interface StoredImage extends ImageFacts {
  readonly content: Uint8Array;
}

/** An image in a text, which has a word for it from `from` up to `to`. */
export type ShownImage = { readonly from: number; readonly to: number } & (
  | { readonly kept: ImageFacts }
  /** Why the model cannot get it: "it has 12 MB, and the limit is 3.5 MB". */
  | { readonly leftOut: string }
);

/** An image that belongs to a message to the model, by the number that the message gives it. */
export interface NumberedImage extends ImageFacts {
  readonly number: number;
}

/** An image as it goes to a model. */
export interface ModelImage extends NumberedImage {
  /** Base64. */
  readonly data: string;
}
