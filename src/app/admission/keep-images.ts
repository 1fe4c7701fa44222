// The images of what is admitted. They are fetched at once, because the addresses that GitHub renders soon expire.
import type { ImageFacts, ShownImage, StoredImage } from '../../contracts/image.ts';
import type { LineComment } from '../../contracts/shown-text.ts';
import type { FetchedImage } from '../../github/images/fetch-image.ts';
import type { UnsignedRepository } from '../../github/repository.ts';
import type { ImagePlace } from '../../github/text/pieces.ts';
import type { VisibleText } from '../../github/text/index.ts';
import type { Entry, EntryOf, NewEntry } from '../../session/entry.ts';
import type { FoundComment } from './issue-context.ts';
import type { FoundIssue } from './shown-texts.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';

/** Of what is admitted at once: an issue and its earlier comments, or a comment, or a review. */
const MOST_NAMED = 50;
const MOST_KEPT = 8;
/** With more than 20 in a request, a provider lowers its limit of pixels. */
const MOST_IN_SESSION = 20;
/** In Base64 these are 16 MB; the smallest request limit of a provider is 20 MB. */
const MOST_MEGABYTES_IN_SESSION = 12;
const ALL_MS = 20_000;

type NewEntryOf<T extends NewEntry['type']> = Extract<NewEntry, { type: T }>;

/** A comment of a review on a line. */
export interface ShownLineComment
  extends VisibleText, Pick<LineComment, 'path' | 'line' | 'thread'> {}

/** What is admitted, with the texts as GitHub just rendered them. */
interface FoundAdmitted extends Omit<
  NewEntryOf<'admitted'>,
  'shown' | 'issue' | 'lineComments' | 'earlier'
> {
  readonly shown?: VisibleText;
  readonly issue?: FoundIssue;
  readonly lineComments: readonly ShownLineComment[];
  readonly earlier?: readonly FoundComment[];
}

export type Rejection = NewEntryOf<'rejected'>;

export type FoundVerdict = FoundAdmitted | Rejection;

interface ImageScope {
  readonly github: UnsignedRepository;
  readonly entries: readonly Entry[];
  /** Whether any model of the service sees images; without one, none is fetched. */
  readonly areSeen: boolean;
}

interface VerdictWithImages {
  readonly verdict: NewEntry;
  /** To be stored with it. */
  readonly images: readonly StoredImage[];
}

/** The verdict as it is journaled, and its images. What comes first has the first claim to be seen. */
export async function keepImages(
  found: FoundAdmitted,
  parts: ImageScope,
): Promise<VerdictWithImages> {
  const { shown, issue, lineComments, earlier, ...rest } = found;
  const images = new Images(parts);
  const verdict: NewEntry = {
    ...rest,
    ...withoutUndefined({
      issue: issue && (await images.kept(issue)),
      shown: shown && (await images.kept(shown)),
      lineComments: await keptAll(lineComments, images),
      earlier: earlier && (await newestFirst(earlier, images)),
    }),
  };
  return { verdict, images: images.stored };
}

async function keptAll<T extends VisibleText>(texts: readonly T[], images: Images) {
  const kept = [];
  for (const text of texts) kept.push(await images.kept(text));
  return kept;
}

const newestFirst = async <T extends VisibleText>(texts: readonly T[], images: Images) =>
  (await keptAll(texts.toReversed(), images)).toReversed();

class Images {
  readonly stored: StoredImage[] = [];
  readonly #parts: ImageScope;
  /** How many the session has without these, and their bytes. A repeated one counts again: it is sent again. */
  readonly #before: { readonly count: number; readonly bytes: number };
  #named = 0;
  #signal: AbortSignal | undefined;

  constructor(parts: ImageScope) {
    this.#parts = parts;
    const before = parts.entries.flatMap((entry) =>
      entry.type === 'admitted' ? [...imagesOf(entry)] : [],
    );
    this.#before = { count: before.length, bytes: bytesOf(before) };
  }

  /** The text with what became of its images. */
  async kept<T extends VisibleText>({ said: _said, images: places, isGone: _isGone, ...text }: T) {
    const images: ShownImage[] = [];
    for (const { from, to, address } of places) {
      if (this.#named >= MOST_NAMED) break;
      this.#named += 1;
      images.push({ from, to, ...this.#keep(await this.#fetch(address)) });
    }
    return images.length === 0 ? text : { ...text, images };
  }

  async #fetch(address: ImagePlace['address']): Promise<FetchedImage> {
    const { github, areSeen } = this.#parts;
    if (!areSeen) return { leftOut: 'no model of this service is known to see images' };
    if (this.stored.length >= MOST_KEPT)
      return { leftOut: `at most ${MOST_KEPT} are attached at once` };
    if (this.#before.count + this.stored.length >= MOST_IN_SESSION)
      return { leftOut: `at most ${MOST_IN_SESSION} are attached in all` };
    this.#signal ??= AbortSignal.timeout(ALL_MS);
    return github.image(address, this.#signal);
  }

  #keep(image: FetchedImage) {
    if ('leftOut' in image) return image;
    const { content: _content, ...facts } = image;
    if (this.stored.some(({ id }) => id === image.id)) return { kept: facts };
    const bytes = this.#before.bytes + bytesOf(this.stored) + image.bytes;
    if (bytes > MOST_MEGABYTES_IN_SESSION * 1e6)
      return { leftOut: `at most ${MOST_MEGABYTES_IN_SESSION} MB are attached in all` };
    this.stored.push(image);
    return { kept: facts };
  }
}

const bytesOf = (images: readonly ImageFacts[]): number =>
  images.reduce((sum, { bytes }) => sum + bytes, 0);

/** Each once. */
function imagesOf({ shown, issue, lineComments, earlier = [] }: EntryOf<'admitted'>) {
  const all = [shown, issue, ...lineComments, ...earlier]
    .flatMap((text) => text?.images ?? [])
    .flatMap((image) => ('kept' in image ? image.kept : []));
  return new Map(all.map((image) => [image.id, image])).values();
}
