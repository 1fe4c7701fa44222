// What is left of a rendered text: elements, and pieces that are looked into no further.

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
