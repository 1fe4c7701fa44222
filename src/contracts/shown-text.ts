// Texts of people on GitHub, as a session holds them.
import type { ShownImage } from './image.ts';

/** What people see of a text on GitHub, as it was when it was judged. */
export interface ShownText {
  /** Markdown without anything that GitHub hides. */
  readonly body: string;
  /** Words of the source that people do not see, in short; missing if there are none. */
  readonly hidden?: string;
  /** The images in it, in their order: the first fifty. Missing if there are none. */
  readonly images?: readonly ShownImage[];
}

export interface LineComment extends ShownText {
  readonly path: string;
  readonly line: number | null;
}

/** The text of an issue, as a session works on it. */
export interface ShownIssue extends ShownText {
  readonly title: string;
  /** Digest of the title and the source of the text: says whether it has changed. */
  readonly digest: string;
}

/** A comment that was there when work began, by a person who may request work too. */
export interface EarlierComment extends ShownText {
  readonly id: number;
  readonly author: string;
}
