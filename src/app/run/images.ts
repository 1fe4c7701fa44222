import type { ImageFacts, ImageType } from '../../contracts/image.ts';
import type { SessionStore } from '../../store/session-store.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';

/** The content of the images that the conversation of a run has, at hand while it runs. */
export class RunImages {
  /** What the model of the run can see. */
  readonly types: ReadonlySet<ImageType>;
  readonly #store: Pick<SessionStore, 'images'>;
  readonly #session: string;
  /** In Base64, by id. */
  readonly #content = new Map<string, string>();

  private constructor(
    store: Pick<SessionStore, 'images'>,
    session: string,
    types: ReadonlySet<ImageType>,
  ) {
    this.types = types;
    this.#store = store;
    this.#session = session;
  }

  /** Those of the conversation so far, of a run that is prepared. */
  static async load(
    store: Pick<SessionStore, 'images'>,
    { id, entries }: Pick<JournalTracker, 'id' | 'entries'>,
  ): Promise<RunImages> {
    const prepared = entries.findLast((entry) => entry.type === 'run_prepared');
    const images = new RunImages(store, id, new Set(prepared?.imageTypes));
    await images.add(
      entries.flatMap((entry) => (entry.type === 'input_read' ? (entry.images ?? []) : [])),
    );
    return images;
  }

  async add(images: readonly ImageFacts[] = []): Promise<void> {
    const wanted = images.filter(({ type, id }) => this.types.has(type) && !this.#content.has(id));
    const found = await this.#store.images(this.#session, [...new Set(wanted.map(({ id }) => id))]);
    for (const [id, content] of found)
      this.#content.set(id, Buffer.from(content).toString('base64'));
  }

  /** In Base64; `undefined` if it was not added. */
  readonly contentOf = ({ id }: ImageFacts): string | undefined => this.#content.get(id);
}
