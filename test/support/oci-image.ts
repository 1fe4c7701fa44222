// Container images, made from the entries of their layers, and a registry on this machine that serves them, also as no
// registry should.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES = {
  file: '0',
  hard: '1',
  link: '2',
  char: '3',
  block: '4',
  directory: '5',
  pipe: '6',
  contiguous: '7',
} as const;

/** An entry of a tar archive; a file unless it has another type. */
export interface TarEntry {
  readonly name: string;
  readonly type?: keyof typeof TYPES;
  readonly mode?: number;
  readonly content?: string | Buffer;
  /** Of a link. */
  readonly target?: string;
  /** A size that is not that of the content. */
  readonly size?: number;
  /** Extended headers, such as those for attributes of the file. */
  readonly pax?: Readonly<Record<string, string | Buffer>>;
}

const BLOCK = 512;

function headerOf(entry: TarEntry, type: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number): void =>
    void block.write(value.toString(8).padStart(length - 1, '0'), at);
  block.write(entry.name.slice(0, 100), 0);
  octal(entry.mode ?? (entry.type === 'directory' ? 0o755 : 0o644), 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write(' '.repeat(8), 148);
  block.write(type, 156);
  block.write((entry.target ?? '').slice(0, 100), 157);
  block.write('ustar\u000000', 257, 'latin1');
  octal(1, 329, 8);
  octal(1, 337, 8);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return block;
}

const padded = (content: Buffer): Buffer =>
  Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);

function paxRecord(name: string, value: string | Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${name}=`), Buffer.from(value), Buffer.from('\n')]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length)
    length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

export function tarOf(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    const { name, target = '' } = entry;
    const long = {
      ...entry.pax,
      ...(name.length > 100 ? { path: name } : {}),
      ...(target.length > 100 ? { linkpath: target } : {}),
    };
    const pax = Buffer.concat(Object.entries(long).map(([key, value]) => paxRecord(key, value)));
    return [
      ...(pax.length === 0 ? [] : [headerOf({ name: 'pax' }, 'x', pax.length), padded(pax)]),
      headerOf(entry, TYPES[entry.type ?? 'file'], entry.size ?? content.length),
      padded(content),
    ];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

export const digestOf = (bytes: Buffer): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const OCI = 'application/vnd.oci.image';

export interface OciImage {
  readonly manifest: Buffer;
  readonly mediaType: string;
  readonly digest: string;
  /** By their digests. */
  readonly blobs: ReadonlyMap<string, Buffer>;
}

interface ImageParts {
  readonly environment?: readonly string[];
  /** What the description of each layer says besides. */
  readonly described?: object;
  /** Members of the manifest, in place of its own. */
  readonly manifest?: object;
}

/** Entries, a whole archive, or a blob that may be anything. */
type Layer = readonly TarEntry[] | { readonly tar: Buffer } | Buffer;

export function imageOf(
  layers: readonly Layer[],
  { environment = [], described = {}, manifest: given = {} }: ImageParts = {},
): OciImage {
  const packed = layers.map((layer) => {
    if (Buffer.isBuffer(layer)) return { tar: layer, blob: layer };
    const tar = 'tar' in layer ? layer.tar : tarOf(layer);
    return { tar, blob: gzipSync(tar, { level: 1 }) };
  });
  const config = Buffer.from(
    JSON.stringify({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config: { Env: environment },
      rootfs: { type: 'layers', diff_ids: packed.map(({ tar }) => digestOf(tar)) },
    }),
  );
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: `${OCI}.manifest.v1+json`,
      config: {
        mediaType: `${OCI}.config.v1+json`,
        digest: digestOf(config),
        size: config.length,
      },
      layers: packed.map(({ blob }) => ({
        mediaType: `${OCI}.layer.v1.tar+gzip`,
        digest: digestOf(blob),
        size: blob.length,
        ...described,
      })),
      ...given,
    }),
  );
  const blobs = [...packed.map(({ blob }) => blob), config];
  return {
    manifest,
    mediaType: `${OCI}.manifest.v1+json`,
    digest: digestOf(manifest),
    blobs: new Map(blobs.map((blob) => [digestOf(blob), blob])),
  };
}

/** As a directory, in the form that skopeo calls `oci`; the name of the image in it is `image`. */
export function writeImage(
  directory: string,
  { blobs, manifest, mediaType, digest }: OciImage,
): void {
  const place = join(directory, 'blobs/sha256');
  mkdirSync(place, { recursive: true });
  for (const [name, blob] of [...blobs, [digest, manifest] as const])
    writeFileSync(join(place, name.slice('sha256:'.length)), blob);
  const annotations = { 'org.opencontainers.image.ref.name': 'image' };
  const manifests = [{ mediaType, digest, size: manifest.length, annotations }];
  writeFileSync(join(directory, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
  writeFileSync(join(directory, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
}

/** Programs of this machine, with the libraries that they need: enough to run commands. `placeOf`: where the image has them. */
export function programsLayer(
  programs: readonly string[],
  placeOf = (path: string): string => path,
): TarEntry[] {
  const needed = programs.flatMap((program) => {
    const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
    return [program, ...listed.split('\n').flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? [])];
  });
  const directories = ['bin', 'usr', 'etc', 'home', 'var', 'tmp', 'root', 'lib', 'lib64'];
  return [
    ...directories.map((name) => ({ name, type: 'directory' as const })),
    ...[...new Set(needed)].map((path) => ({
      name: placeOf(path).slice(1),
      mode: 0o755,
      content: readFileSync(realpathSync(path)),
    })),
  ];
}

/** Answers a request in place of the registry; `false`: it does not. */
type Interception = (path: string, response: ServerResponse, request: IncomingMessage) => boolean;

/** A registry that whoever asks may read, over HTTP unless it has a certificate. */
export class ImageRegistry {
  readonly requests: string[] = [];
  intercept: Interception = () => false;
  readonly #images = new Map<string, OciImage>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(tls?: {
    readonly key: Buffer;
    readonly cert: Buffer;
  }): Promise<ImageRegistry> {
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    const registry = new ImageRegistry(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      registry.#answer(request, response),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return registry;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers the reference of the image by its digest. Every tag is this image too. */
  add(name: string, image: OciImage): string {
    this.#images.set(name, image);
    return `${this.host}/${name}@${image.digest}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { url: path = '', method } = request;
    this.requests.push(path);
    if (this.intercept(path, response, request)) return;
    const [, name = '', kind, reference = ''] =
      /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(path) ?? [];
    const image = this.#images.get(name);
    const isIt = !reference.startsWith('sha256:') || reference === image?.digest;
    const manifest = isIt ? image?.manifest : undefined;
    const blob = kind === 'manifests' ? manifest : image?.blobs.get(reference);
    if (path === '/v2/') response.writeHead(200).end('{}');
    else if (image === undefined || blob === undefined) response.writeHead(404).end('{}');
    else {
      const type = kind === 'manifests' ? image.mediaType : 'application/octet-stream';
      response.writeHead(200, { 'content-type': type, 'content-length': blob.length });
      response.end(method === 'HEAD' ? undefined : blob);
    }
  }
}
