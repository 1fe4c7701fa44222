// Where the images of a text are. While its Markdown is written, an image is a mark with its address before the
// word that stands for it; `placed` takes the marks out. Both signs are invisible, so no text of people has them.
import { withoutInvisible } from '../../lib/text/invisible.ts';

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
