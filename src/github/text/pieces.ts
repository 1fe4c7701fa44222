// What is left of a rendered text: elements, pieces that are looked into no further, and where its images are.
import { withoutInvisible } from '../../lib/text/invisible.ts';

/** What a link is for: an account or a number that GitHub found in the text, a footnote, or an address. */
export type LinkKind = 'mention' | 'reference' | 'footnote' | 'address';

export interface Element {
  readonly kind: 'element';
  readonly name: string;
  readonly isBlock: boolean;
  /** Some element in it is a block. */
  hasBlock: boolean;
  readonly children: TextPiece[];
  readonly link?: { readonly kind: LinkKind; readonly address: string | undefined } | undefined;
  /** The kind of an alert, such as `NOTE`; or that it holds the footnotes. */
  readonly mark?: string | undefined;
  /** The number that a numbered list begins with; 1 if missing. */
  readonly firstNumber?: number | undefined;
}

export type TextPiece =
  | Element
  | { readonly kind: 'text'; readonly text: string }
  /** A block of code. `language`: empty if unknown. */
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | { readonly kind: 'formula'; readonly source: string }
  /** A picture, a video, or a diagram that GitHub draws. `word`: the name of a picture that represents a word. */
  | {
      readonly kind: 'picture';
      readonly of: 'image' | 'video' | 'diagram';
      readonly word?: string;
      /** Of an image. */
      readonly address?: string;
    }
  | { readonly kind: 'checkbox'; readonly isChecked: boolean }
  | { readonly kind: 'break' | 'rule' | 'breakable' };

export const FOOTNOTES = 'footnotes';

/** Whether it is on lines of its own. */
export function isBlock(piece: TextPiece): boolean {
  if (piece.kind === 'element') return piece.isBlock || piece.hasBlock;
  if (piece.kind === 'picture') return piece.of === 'diagram';
  return piece.kind === 'code' || piece.kind === 'rule';
}

// Where the images of a text are. While its Markdown is written, an image is a mark with its address before the
// word that stands for it; `placed` takes the marks out. Both signs are invisible, so no text of people has them.
const BEGIN = '\u0001';
const END = '\u0002';
const WORD = '[image]';

/** An image in a text: it is from `from` up to `to` there. */
export interface ImagePlace {
  readonly from: number;
  readonly to: number;
  /** As GitHub rendered it; may hold a short-lived secret. */
  readonly address: string;
}

export const imageMark = (address: string): string =>
  `${BEGIN}${encodeURIComponent(address.toWellFormed())}${END}${WORD}`;

/** For text that is taken over as it is. */
export const withoutMarks = (text: string): string =>
  text.replaceAll(BEGIN, '').replaceAll(END, '');

/** Whether a text is one image and nothing else. */
export const isImage = (text: string): boolean =>
  text.startsWith(BEGIN) && text.endsWith(END + WORD) && text.lastIndexOf(BEGIN) === 0;

/** The text as people see it, and the places of its images. */
export function placed(marked: string): {
  readonly body: string;
  readonly images: readonly ImagePlace[];
} {
  const [first = '', ...rest] = marked.split(BEGIN);
  let body = withoutInvisible(first);
  const images = rest.map((part): ImagePlace => {
    const [address = '', words = ''] = part.split(END);
    const from = body.length;
    body += withoutInvisible(words);
    return { from, to: from + WORD.length, address: decodeURIComponent(address) };
  });
  return { body, images };
}
