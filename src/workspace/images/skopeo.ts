// The program that speaks to registries. It checks every byte against the digest that it was asked for.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { TellPerson, hasCode } from '../../lib/errors.ts';
import { imageName, type ImageReference } from '../../lib/image-reference.ts';
import { SYSTEM_PATH } from '../../lib/directories.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';

export interface RegistryAccess {
  /** Variables of the service that say how to reach the outside, such as `HTTPS_PROXY`. */
  readonly network: Readonly<Record<string, string>>;
  /** A file with credentials, as `skopeo login` writes it. */
  readonly authFile: string | undefined;
  readonly isPlain: boolean;
}

const POLICY = '/etc/containers/policy.json';
const LONGEST_MS = 30 * 60_000;
const LOOK_MS = 250;
const MOST_BLOBS = 1000;
const BLOCK = 512;
/** What skopeo reads besides an image: its own libraries, certificates, manifests, what it begins again. */
const MOST_BESIDE = 64 * 1024 * 1024;
/** skopeo itself reads no longer manifest. */
const MOST_MANIFEST = 4 * 1024 * 1024;

const PROGRAMS = ['skopeo', 'umoci', 'prlimit', 'setpriv'];

/** Those of the programs that images need and this machine has not. */
export const missingImagePrograms = (): readonly string[] =>
  PROGRAMS.filter((name) => !SYSTEM_PATH.some((directory) => existsSync(join(directory, name))));

/**
 * With a home in which there is nothing else: no settings or credentials of a person count. skopeo trusts whom this process
 * trusts, `NODE_EXTRA_CA_CERTS` included: the image of the service has no certificates of its own.
 */
async function environmentOfSkopeo(home: string, { network, authFile }: RegistryAccess) {
  const authorities = join(home, 'authorities.pem');
  await writeFile(authorities, getCACertificates('default').join('\n'));
  return {
    SSL_CERT_FILE: authorities,
    ...network,
    PATH: SYSTEM_PATH.join(':'),
    HOME: home,
    XDG_RUNTIME_DIR: home,
    TMPDIR: home,
    LC_ALL: 'C',
    ...withoutUndefined({ REGISTRY_AUTH_FILE: authFile }),
  };
}

/** If the machine has a policy for signatures, it counts. */
const policy = (): string[] => (existsSync(POLICY) ? [] : ['--insecure-policy']);

const address = ({ registry, repository, tag = 'latest', digest }: ImageReference): string =>
  `docker://${registry}/${repository}${digest === undefined ? `:${tag}` : `@${digest}`}`;

/** The digest of what its registry describes as this image now. skopeo checks it if one is asked for. @throws {TellPerson} */
export async function askForDigest(
  reference: ImageReference,
  access: RegistryAccess,
  { home, signal }: { readonly home: string; readonly signal: AbortSignal },
): Promise<string> {
  const tls = `--tls-verify=${!access.isPlain}`;
  const args = [...policy(), 'inspect', '--raw', tls, address(reference)];
  const options = {
    env: await environmentOfSkopeo(home, access),
    cwd: home,
    signal,
    maxBuffer: MOST_MANIFEST,
    encoding: 'buffer',
    timeout: LONGEST_MS,
  } as const;
  return new Promise((resolve, reject) => {
    execFile('skopeo', args, options, (error, stdout, stderr) => {
      if (signal.aborted) reject(signal.reason);
      else if (error === null)
        resolve(`sha256:${createHash('sha256').update(stdout).digest('hex')}`);
      else reject(pullFailure(reference, stderr.toString()));
    });
  });
}

interface Pull {
  /** There only for this. The image is in `layout` there afterwards, under the name `image`. */
  readonly directory: string;
  readonly maxBytes: number;
  /** Of the lock for the image: skopeo holds it too. */
  readonly lock: number;
  readonly signal: AbortSignal;
}

/** Fetches an image by its digest. skopeo dies with this process. @throws {TellPerson} */
export async function pullImage(
  reference: ImageReference,
  access: RegistryAccess,
  { directory, maxBytes, lock, signal }: Pull,
): Promise<void> {
  const home = join(directory, 'home');
  const layout = join(directory, 'layout');
  await mkdir(home, { mode: 0o700 });
  const limited = `--fsize=${maxBytes} --core=0 -- setpriv --pdeathsig KILL skopeo`.split(' ');
  const copy = `copy --quiet --retry-times 2 --src-tls-verify=${!access.isPlain}`.split(' ');
  const args = [...limited, ...policy(), ...copy, address(reference), `oci:${layout}:image`];
  const env = await environmentOfSkopeo(home, access);
  signal.throwIfAborted();
  const stdio = ['ignore', 'ignore', 'pipe', lock] as const;
  const child = spawn('prlimit', args, { env, cwd: directory, stdio: [...stdio] });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-MOST_SAID);
  });
  let why: string | undefined;
  const stop = (reason?: string): void => {
    why ??= reason;
    child.kill('SIGKILL');
  };
  const look = setInterval(() => {
    void Promise.all([sizeOfBlobs(layout), bytesReadBy(child.pid)]).then(([size, read]) => {
      const isOver = size.bytes > maxBytes || read > maxBytes + MOST_BESIDE;
      if (isOver || size.blobs > MOST_BLOBS) stop(`it has more than ${maxBytes} bytes`);
    });
  }, LOOK_MS);
  const timer = setTimeout(() => stop('that took too long'), LONGEST_MS);
  const abort = (): void => stop();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    if (exitCode !== 0) throw pullFailure(reference, why ?? said);
  } catch (error) {
    throw hasCode(error, 'ENOENT') ? pullFailure(reference, 'prlimit is not installed') : error;
  } finally {
    clearInterval(look);
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

const MESSAGE = 'msg="';
const MOST_SAID = 4000;
const MOST_SHOWN = 400;

/** In the words of skopeo, which may hold those of a registry. */
function pullFailure(reference: ImageReference, said: string): TellPerson {
  // A line of its log ends with `msg="…"`.
  const at = said.lastIndexOf(MESSAGE);
  const words = (at < 0 ? said : said.slice(at + MESSAGE.length))
    .replaceAll(String.raw`\"`, "'")
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .replaceAll('`', "'")
    .trim()
    .replace(/"$/, '')
    .slice(0, MOST_SHOWN);
  return new TellPerson(
    `The image \`${imageName(reference)}\` cannot be fetched: ${words === '' ? 'skopeo gave no reason' : words}.`,
  );
}

/**
 * From registries too: what is not compressed there is compressed by skopeo, so what it writes says little. 0 if the system
 * does not tell.
 */
async function bytesReadBy(pid: number | undefined): Promise<number> {
  const io = await readFile(`/proc/${pid}/io`, 'latin1').catch(() => '');
  return Number(/^rchar: (\d+)$/m.exec(io)?.[1] ?? 0);
}

async function sizeOfBlobs(layout: string): Promise<{ bytes: number; blobs: number }> {
  const places = [layout, join(layout, 'blobs/sha256')];
  const paths = await Promise.all(
    places.map(async (place) =>
      (await readdir(place).catch(() => [])).map((name) => join(place, name)),
    ),
  );
  const sizes = await Promise.all(
    paths.flat().map(async (path) => (await stat(path).catch(() => undefined))?.blocks ?? 0),
  );
  return { bytes: sizes.reduce((sum, blocks) => sum + blocks * BLOCK, 0), blobs: sizes.length };
}
