// What `git add` makes of a file: with line ends, and for Git LFS, as the repository's attributes ask for.
import { toLfsPointer } from '../../lib/lfs-pointer.ts';
import type { Attributes } from '../files/attributes.ts';

export interface Conversion {
  /** Git LFS stores the file itself, so a commit has a pointer to it. */
  readonly isInLfs: boolean;
  readonly apply: (content: Uint8Array) => Uint8Array;
}

export const AS_IT_IS: Conversion = { isInLfs: false, apply: (content) => content };
const LFS: Conversion = { isInLfs: true, apply: toLfsPointer };
const LINE_FEEDS: Conversion = { isInLfs: false, apply: withLineFeeds };

/**
 * @param committed the file in the base; `undefined` if it is new. One that has CRLF keeps it: git does so for `text=auto`, and
 * otherwise a change of one line would become a change of all.
 */
export async function conversionFor(
  attributes: Attributes,
  content: Uint8Array,
  committed: () => Promise<Uint8Array | undefined>,
): Promise<Conversion> {
  if (attributes.get('filter') === 'lfs') return LFS;
  const kind = textKind(attributes);
  if (kind === 'as it is' || !hasCrlf(content)) return AS_IT_IS;
  if (kind === 'auto' && isBinary(content)) return AS_IT_IS;
  const before = await committed();
  return before !== undefined && hasCrlf(before) ? AS_IT_IS : LINE_FEEDS;
}

/** As git combines `text`, the older `crlf`, and `eol`. */
function textKind(attributes: Attributes): 'text' | 'auto' | 'as it is' {
  for (const name of ['text', 'crlf']) {
    const value = attributes.get(name);
    if (value === false) return 'as it is';
    if (value === 'auto') return 'auto';
    if (value === true || value === 'input') return 'text';
  }
  const eol = attributes.get('eol');
  return eol === 'lf' || eol === 'crlf' ? 'text' : 'as it is';
}

const hasCrlf = (content: Uint8Array): boolean => bytesOf(content).includes('\r\n');

function withLineFeeds(content: Uint8Array): Uint8Array {
  return Buffer.from(bytesOf(content).toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}

const bytesOf = (content: Uint8Array): Buffer =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength);

const [BACKSPACE, TAB, LINE_FEED, FORM_FEED, CARRIAGE_RETURN] = [8, 9, 10, 12, 13];
const [END_OF_FILE, ESCAPE, SPACE, DELETE] = [26, 27, 32, 127];
const PRINTABLE: ReadonlySet<number> = new Set([BACKSPACE, TAB, FORM_FEED, ESCAPE]);

/** As git tells it: a NUL, a carriage return alone, or more than one byte in 128 that no text has. */
function isBinary(content: Uint8Array): boolean {
  let [printable, others] = [0, 0];
  for (const [at, byte] of content.entries()) {
    if (byte === 0 || (byte === CARRIAGE_RETURN && content[at + 1] !== LINE_FEED)) return true;
    if (byte === CARRIAGE_RETURN || byte === LINE_FEED) continue;
    if (byte !== DELETE && (byte >= SPACE || PRINTABLE.has(byte))) printable += 1;
    else if (byte !== END_OF_FILE || at < content.byteLength - 1) others += 1;
  }
  return printable >> 7 < others;
}
