// Images that repositories choose for their commands: pulled by digest, unpacked once, and kept for all sessions.
import { randomUUID } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { UnpackedImage, Unpacker } from '../../contracts/shell.ts';
import { TellPerson } from '../../lib/errors.ts';
import {
  allowingPattern,
  imageName,
  type ImagePattern,
  type ImageReference,
} from '../../lib/image-reference.ts';
import { makeDirectories, TEMPORARY_PREFIX } from '../../lib/directories.ts';
import { treeSize, writeToDisk } from '../dependencies/dependency-cache.ts';
import {
  BYTES,
  IMAGE,
  keepRoom,
  lockOfImage,
  MAKING_IMAGE,
  setAside,
  setExcessAside,
  unlessMissing,
  type CacheRoom,
} from '../git/engines/native/cache-room.ts';
import { lockFile } from '../git/engines/native/file-lock.ts';
import { removeTree } from '../remove-tree.ts';
import { makePassable, whyNotBelow } from '../work-directory.ts';
import { askForDigest, missingImagePrograms, pullImage, type RegistryAccess } from './skopeo.ts';

export interface ImageSettings extends Pick<RegistryAccess, 'network' | 'authFile'> {
  /** What repositories may choose; empty: nothing. */
  readonly allowed: readonly ImagePattern[];
  /** Of one image, packed and unpacked each. */
  readonly maxBytes: number;
  readonly maxFiles: number;
}

interface Log {
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
}

/** Of whoever wants an image. */
export interface ImageWaiting {
  readonly signal: AbortSignal;
  /** Called before an image is fetched that is not here, which may take minutes. */
  readonly beforeFetch?: () => Promise<void>;
}

/** Longer than a pull and its unpacking may take. */
const WAIT_SECONDS = 3_600;
const RECORD = 'record.json';
const ROOT = 'rootfs';

const ImageRecord = z.object({
  environment: z.record(z.string(), z.string()),
  facts: z.object({
    programs: z.string(),
    program: z.enum(['bash', 'sh']),
    hasGit: z.boolean(),
  }),
});

interface ImageRequest {
  readonly reference: ImageReference;
  readonly digest: string;
  readonly access: RegistryAccess;
  readonly signal: AbortSignal;
}

/** @throws {TellPerson} if the operator does not allow the image, or a program is missing */
function accessTo(reference: ImageReference, settings: ImageSettings): RegistryAccess {
  const pattern = allowingPattern(reference, settings.allowed);
  const name = imageName(reference);
  if (pattern === undefined)
    throw new TellPerson(
      `The operator of Issuewright does not allow the image \`${name}\`. The setting ENVIRONMENT_IMAGES lists those that a repository may choose.`,
    );
  const missing = missingImagePrograms();
  if (missing.length > 0)
    throw new TellPerson(
      `The image \`${name}\` cannot be used: the machine has no ${missing.join(' and no ')}. The operator can install the packages \`skopeo\`, \`umoci\` and \`util-linux\`.`,
    );
  return { ...settings, isPlain: pattern.isPlain };
}

/** @throws {TellPerson} if its registry does not name it */
async function digestNow(
  reference: ImageReference,
  access: RegistryAccess,
  signal: AbortSignal,
): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), TEMPORARY_PREFIX));
  try {
    return await askForDigest(reference, access, { home, signal });
  } finally {
    await removeTree(home);
  }
}

/** Whoever can move a tag would choose what runs. */
function withoutDigest(reference: ImageReference, digest: string): TellPerson {
  const name = imageName(reference);
  return new TellPerson(
    `The image \`${name}\` has no digest, and may be another one tomorrow. Write \`${name}@${digest}\`, which it is now.`,
  );
}

/**
 * Asks the registry for what describes an image, and fetches nothing of it.
 * @throws {TellPerson} that says why commands could not run in it
 */
export async function findImage(
  reference: ImageReference,
  settings: ImageSettings,
  signal: AbortSignal,
): Promise<void> {
  const digest = await digestNow(reference, accessTo(reference, settings), signal);
  if (reference.digest === undefined) throw withoutDigest(reference, digest);
}

export class ImageStore {
  readonly #settings: ImageSettings;
  /** Of a directory for images alone. */
  readonly #room: CacheRoom;
  readonly #unpacker: Unpacker;
  readonly #log: Log;
  readonly #stop: () => Promise<void>;

  private constructor(settings: ImageSettings, room: CacheRoom, unpacker: Unpacker, log: Log) {
    this.#settings = settings;
    this.#room = room;
    this.#unpacker = unpacker;
    this.#log = log;
    this.#stop = keepRoom(room, log);
  }

  /** Removes what earlier processes left half made. Answers why there can be no images, if that is so. */
  static open(
    settings: ImageSettings,
    room: CacheRoom,
    unpacker: Unpacker,
    log: Log,
  ): ImageStore | string {
    makeDirectories(dirname(room.directory), 0o700);
    const why = whyNotBelow(room.directory);
    if (why !== undefined) return why;
    makePassable(room.directory);
    return new ImageStore(settings, room, unpacker, log);
  }

  close(): Promise<void> {
    return this.#stop();
  }

  /** @throws {TellPerson} that says why commands cannot run in this image, and what to do */
  async take(
    reference: ImageReference,
    { signal, beforeFetch }: ImageWaiting,
  ): Promise<UnpackedImage> {
    const access = accessTo(reference, this.#settings);
    const { digest } = reference;
    if (digest === undefined)
      throw withoutDigest(reference, await digestNow(reference, access, signal));
    const found = await this.#find(reference, digest);
    if (found !== undefined) return found;
    await beforeFetch?.();
    return this.#makeAlone({ reference, digest, access, signal });
  }

  async #find(reference: ImageReference, digest: string): Promise<UnpackedImage | undefined> {
    const path = this.#pathOf(digest);
    const text = await readFile(join(path, RECORD), 'utf8').catch(unlessMissing);
    if (text === undefined) return undefined;
    const { environment, facts } = ImageRecord.parse(JSON.parse(text));
    const now = new Date();
    await utimes(path, now, now).catch(unlessMissing);
    return { name: imageName(reference), digest, root: join(path, ROOT), environment, facts };
  }

  /** One process at a time: the others find what it made. */
  async #makeAlone(making: ImageRequest): Promise<UnpackedImage> {
    const { reference, digest, signal } = making;
    const begun = performance.now();
    const lockPath = lockOfImage(this.#pathOf(digest));
    const lock = await lockFile(lockPath, { signal, seconds: WAIT_SECONDS });
    if (lock === undefined)
      throw new TellPerson(`Others fetch the image \`${imageName(reference)}\` for too long.`);
    try {
      const known = await this.#find(reference, digest);
      if (known !== undefined) return known;
      await this.#removeHalfMade(digest);
      await this.#make(making, lock.descriptor);
    } finally {
      await lock.release();
    }
    await setExcessAside(this.#room, signal);
    const made = await this.#find(reference, digest);
    if (made === undefined) throw new Error('an image is gone that was just made');
    return { ...made, seconds: secondsSince(begun) };
  }

  /** What processes left that were killed. Whoever has the lock is the only one that makes it. */
  async #removeHalfMade(digest: string): Promise<void> {
    const { directory } = this.#room;
    const key = digest.slice('sha256:'.length);
    for (const name of await readdir(directory))
      if (name.startsWith(key) && name.endsWith(MAKING_IMAGE))
        await removeTree(join(directory, name));
  }

  /** Whatever ends this process, an image is whole or not there. */
  async #make({ reference, digest, access, signal }: ImageRequest, lock: number): Promise<void> {
    const begun = performance.now();
    const path = this.#pathOf(digest);
    const making = `${path.slice(0, -IMAGE.length)}.${randomUUID()}${MAKING_IMAGE}`;
    const tree = join(making, 'tree');
    const { maxBytes, maxFiles } = this.#settings;
    const named = { image: imageName(reference), digest };
    try {
      await mkdir(tree, { recursive: true, mode: 0o700 });
      this.#log.info(named, 'pulling an image');
      await pullImage(reference, access, { directory: tree, maxBytes, lock, signal });
      await removeTree(join(tree, 'home'));
      const environment = await environmentIn(join(tree, 'layout'));
      this.#log.info(named, 'unpacking an image');
      await this.#unpacker.unpack(making, { bytes: maxBytes, files: maxFiles }, signal);
      for (const left of ['tree', 'shell']) await removeTree(join(making, left));
      if (process.getuid?.() === 0) await chmod(making, 0o711);
      const facts = await this.#unpacker.examine({ root: join(making, ROOT), environment });
      const place = { directory: making, name: '.', signal };
      const bytes = await treeSize(place);
      await writeFile(join(making, BYTES), String(bytes));
      await writeFile(join(making, RECORD), JSON.stringify({ environment, facts }));
      await writeToDisk(place);
      await setAside(path, path);
      await rename(making, path);
      const seconds = secondsSince(begun);
      this.#log.info({ ...named, bytes, seconds }, 'unpacked an image');
    } finally {
      if (!signal.aborted) await removeTree(making);
    }
  }

  #pathOf(digest: string): string {
    return join(this.#room.directory, digest.slice('sha256:'.length) + IMAGE);
  }
}

const secondsSince = (begun: number): number => Math.round((performance.now() - begun) / 1000);

const Descriptor = z.object({ digest: z.string().regex(/^sha256:[a-f\d]{64}$/) });
const Index = z.object({ manifests: z.tuple([Descriptor]) });
const Manifest = z.object({ config: Descriptor });
const ImageConfig = z.object({
  config: z.object({ Env: z.array(z.string()).nullish() }).nullish(),
});
const MOST_CONFIG = 4 * 1024 * 1024;
const NO_IMAGE = 'What was fetched is no image with programs in it.';

/** The variables that an image gives its programs. skopeo has checked that these are the files that were asked for. */
async function environmentIn(layout: string): Promise<Record<string, string>> {
  const blob = async ({ digest }: z.infer<typeof Descriptor>): Promise<unknown> =>
    readJson(join(layout, 'blobs/sha256', digest.slice('sha256:'.length)));
  const { manifests } = Index.parse(await readJson(join(layout, 'index.json')));
  const manifest = Manifest.safeParse(await blob(manifests[0]));
  if (!manifest.success) throw new TellPerson(NO_IMAGE);
  const config = ImageConfig.safeParse(await blob(manifest.data.config));
  const variables = config.data?.config?.Env ?? [];
  return Object.fromEntries(
    variables.flatMap((one) => {
      const at = one.indexOf('=');
      return at < 1 ? [] : [[one.slice(0, at), one.slice(at + 1)] as const];
    }),
  );
}

async function readJson(path: string): Promise<unknown> {
  const { size } = await stat(path);
  if (size > MOST_CONFIG) throw new TellPerson(NO_IMAGE);
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch (error) {
    throw new TellPerson(NO_IMAGE, { cause: error });
  }
}
