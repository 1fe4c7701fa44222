// Images whose makers want out: files of the machine, rights on it, all of its disk.
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import {
  digestOf,
  imageOf,
  tarOf,
  type ImageRegistry,
  type OciImage,
  type TarEntry,
} from '../../support/oci-image.ts';

/** Of the service that takes them. */
export const LIMITS = { maxBytes: 48 * 2 ** 20, maxFiles: 3_000 };

/** A directory of the host with a secret and a file to overwrite, both open to everybody. */
export interface Target {
  readonly directory: string;
  readonly secret: string;
  readonly victim: string;
}

type Intercept = (image: OciImage, path: string, response: ServerResponse) => boolean;

interface Attack {
  readonly image: (target: Target, programs: TarEntry[], registry: ImageRegistry) => OciImage;
  /** Run in it, if it is taken; none prints the secret. */
  readonly commands?: (target: Target) => string[];
  /** What the registry does besides. */
  readonly intercept?: Intercept;
  /** Why it is not taken; omitted: it is, and does no harm. */
  readonly says?: RegExp;
}

const link = (name: string, target: string): TarEntry => ({ name, type: 'link', target });
const hard = (name: string, target: string): TarEntry => ({ name, type: 'hard', target });
const file = (name: string, content = 'overwritten'): TarEntry => ({ name, content });
const directory = (name: string): TarEntry => ({ name, type: 'directory' });
const UP = '../'.repeat(12);

/** One layer above the programs. */
const layer =
  (entries: (target: Target) => TarEntry[]): Attack['image'] =>
  (target, programs) =>
    imageOf([programs, entries(target)]);
const layers =
  (first: (t: Target) => TarEntry[], second: (t: Target) => TarEntry[]): Attack['image'] =>
  (target, programs) =>
    imageOf([programs, first(target), second(target)]);
const reading =
  (...paths: string[]) =>
  (): string[] =>
    paths.map((path) => `cat ${path} 2>&1`);
const lying =
  (answer: (image: OciImage, blob: Buffer) => Buffer): Intercept =>
  (image, path, response) => {
    const blob = image.blobs.get(path.slice(path.lastIndexOf('/') + 1));
    if (blob === undefined || !path.includes('/blobs/')) return false;
    response.end(answer(image, blob));
    return true;
  };
const NOT_UNPACKED = /^The image cannot be (?:unpacked|used): /;
const NOT_FETCHED = /^The image `.*` cannot be fetched: /;
const NO_IMAGE =
  /^What was fetched is no image|^The image `.*` cannot be fetched: |^The image cannot be /;
const NO_COMMAND = /^No command runs in the image/;

export const ATTACKS: Readonly<Record<string, Attack>> = {
  // Paths.
  'names a file by an absolute path': { image: layer(({ victim }) => [file(victim)]) },
  'names a file by a path that leads up': {
    image: layer(({ victim }) => [file(UP + victim.slice(1))]),
  },
  'names a file by a path that leads down and up': {
    image: layer(({ victim }) => [directory('a'), file(`a/${UP}${victim.slice(1)}`)]),
  },
  'has a path of 3,000 directories': {
    image: layer(() => [file(`${'d/'.repeat(1_500)}f`)]),
  },
  // Links.
  'writes through an absolute link': {
    image: layer(({ directory: at }) => [link('d', at), file('d/victim')]),
  },
  'writes through a relative link': {
    image: layer(({ directory: at }) => [link('d', UP + at.slice(1)), file('d/victim')]),
  },
  'writes through a link of the layer below': {
    image: layers(
      ({ directory: at }) => [link('d', at)],
      () => [file('d/victim')],
    ),
  },
  'writes through a chain of links': {
    image: layer(({ directory: at }) => [link('a', UP), link('b', `a${at}`), file('b/victim')]),
  },
  'replaces a directory by a link, and writes there': {
    image: layers(
      ({ directory: at }) => [directory('d'), file('d/mine'), link('e', at)],
      ({ directory: at }) => [link('d', at), file('d/victim'), file('e/victim')],
    ),
  },
  'has a link to a secret': {
    image: layer(({ secret }) => [link('stolen', secret), link('etc/motd', UP + secret.slice(1))]),
    commands: reading('/stolen', '/etc/motd'),
  },
  'has a link at the top to a directory of the host': {
    image: layer(({ directory: at }) => [link('srv', at)]),
    commands: reading('/srv/secret'),
  },
  // Hard links.
  'has a hard link to a file of the host': {
    image: layer(({ victim }) => [hard('h', victim), file('h')]),
    says: NOT_UNPACKED,
  },
  'has a hard link that leads up': {
    image: layer(({ secret }) => [hard('stolen', UP + secret.slice(1))]),
    commands: reading('/stolen'),
    says: NOT_UNPACKED,
  },
  'has a hard link to a link that leads out': {
    image: layer(({ secret }) => [link('l', secret), hard('stolen', 'l')]),
    commands: reading('/stolen', '/l'),
  },
  'has a hard link through a link that leads out': {
    image: layer(({ directory: at }) => [link('d', at), hard('stolen', 'd/secret')]),
    commands: reading('/stolen'),
    says: NOT_UNPACKED,
  },
  'has a hard link to its own download': {
    image: layer(() => [hard('stolen', '../layout/index.json')]),
    says: NOT_UNPACKED,
  },
  // Where the sandbox mounts and writes.
  'has a link in place of /etc': { image: layer(({ directory: at }) => [link('etc', at)]) },
  'has a link in place of /home': { image: layer(({ directory: at }) => [link('home', at)]) },
  'has a link in place of /var': { image: layer(({ directory: at }) => [link('var', at)]) },
  'has a link in place of /home/agent': {
    image: layer(({ directory: at }) => [link('home/agent', at)]),
    commands: () => ['echo overwritten > ~/victim; cat ~/secret 2>&1'],
  },
  'has a link in place of /var/tmp': {
    image: layer(({ directory: at }) => [link('var/tmp', at)]),
    commands: () => ['echo overwritten > /var/tmp/victim; cat /var/tmp/secret 2>&1'],
  },
  'has links in place of /tmp, /run and /workspace': {
    image: layer(({ directory: at }) => ['tmp', 'run', 'workspace'].map((name) => link(name, at))),
    commands: () => [
      'cat /tmp/secret /run/secret /workspace/secret 2>&1; echo overwritten > victim',
    ],
  },
  'has links in place of /proc, /dev and /sys': {
    image: layer(({ directory: at }) => ['proc', 'dev', 'sys'].map((name) => link(name, at))),
    commands: () => ['cat /proc/secret /dev/secret /sys/secret 2>&1; cat /proc/self/status'],
  },
  'has a link in place of /etc/passwd': {
    image: layer(({ victim, secret }) => [link('etc/passwd', victim), link('etc/group', secret)]),
    commands: reading('/etc/passwd', '/etc/group'),
  },
  'has directories in place of /etc/passwd and /etc/hosts': {
    image: layer(() => [file('etc/passwd/x'), file('etc/hosts/x')]),
  },
  // Kinds and rights.
  'has a block device': {
    image: layer(() => [{ name: 'disk', type: 'block', mode: 0o666 }]),
    commands: reading('/disk'),
  },
  'has a character device': {
    image: layer(() => [{ name: 'memory', type: 'char', mode: 0o666 }]),
    commands: reading('/memory'),
  },
  'has a pipe that nobody writes to': {
    image: layer(() => [{ name: 'pipe', type: 'pipe' }]),
    commands: () => ['ls -l /pipe 2>&1'],
  },
  'has a kind of entry that nobody uses': {
    image: layer(() => [{ name: 'c', type: 'contiguous' }]),
    says: NOT_UNPACKED,
  },
  'has a program with rights of its owner': {
    image: layer(() => [{ ...file('bin/su', '#!/bin/sh\nid'), mode: 0o4755 }]),
    commands: () => ['ls -l /bin/su; /bin/su'],
  },
  'has a program and a directory with rights of their group': {
    image: layer(() => [
      { ...file('bin/su'), mode: 0o2755 },
      { ...directory('bin/d'), mode: 0o3777 },
    ]),
  },
  'has a program with capabilities': {
    image: layer(() => [
      {
        ...file('bin/ping'),
        mode: 0o755,
        pax: {
          'SCHILY.xattr.security.capability': Buffer.from(
            '0100000200200000000000000000000000000000',
            'hex',
          ),
        },
      },
    ]),
  },
  'has directories that nobody may enter': {
    image: layer(() => [
      { ...directory('closed'), mode: 0 },
      { ...file('closed/f'), mode: 0 },
    ]),
    commands: reading('/closed/f'),
  },
  // Whiteouts.
  'removes what is above it': {
    image: layer(() => [file('.wh...'), file('d/.wh...')]),
    says: NOT_UNPACKED,
  },
  'removes nothing, by name': {
    image: layer(() => [file('.wh.'), file('.wh..')]),
    says: NOT_UNPACKED,
  },
  'removes a file of the host through a link': {
    image: layers(
      ({ directory: at }) => [link('d', at)],
      () => [file('d/.wh.victim')],
    ),
  },
  'empties a directory of the host through a link': {
    image: layers(
      ({ directory: at }) => [link('d', at)],
      () => [file('d/.wh..wh..opq')],
    ),
  },
  'empties its root': {
    image: layers(
      () => [file('mine')],
      () => [file('.wh..wh..opq')],
    ),
    says: NO_COMMAND,
  },
  // Bombs.
  'is 300 MiB of nothing in 300 kB': {
    image: (_target, programs) =>
      imageOf([programs, [{ name: 'zeros', content: Buffer.alloc(300 * 2 ** 20) }]]),
    says: /takes more than|more than \d+ files/,
  },
  'has 20,000 files': {
    image: layer(() =>
      Array.from({ length: 20_000 }, (_, at) => file(`many/${at % 50}/${at}`, '')),
    ),
    says: /more than 3000 files/,
  },
  'has 1,000 files in its root': {
    image: layer(() => Array.from({ length: 1_000 }, (_, at) => file(`f${at}`, ''))),
    says: /entries in its root directory/,
  },
  'says that a file has 8 GiB, and ends': {
    image: layer(() => [{ ...file('huge'), size: 2 ** 33 - 1 }]),
    says: NOT_UNPACKED,
  },
  'is downloaded without an end': {
    image: layer(() => [file('mine')]),
    intercept: (_image, path, response) => {
      if (!path.includes('/blobs/')) return false;
      const more = (): void =>
        void (response.write(Buffer.alloc(2 ** 20))
          ? setImmediate(more)
          : response.once('drain', more));
      response.on('error', () => {});
      more();
      return true;
    },
    says: NOT_FETCHED,
  },
  // Digests and sizes.
  'sends another manifest': {
    image: layer(() => [file('mine')]),
    intercept: (image, path, response) => {
      if (!path.includes('/manifests/')) return false;
      response.writeHead(200, { 'content-type': image.mediaType });
      response.end(Buffer.concat([image.manifest, Buffer.from(' ')]));
      return true;
    },
    says: NOT_FETCHED,
  },
  'sends other layers': {
    image: layer(() => [file('mine')]),
    intercept: lying(() => gzipSync(tarOf([file('other')]))),
    says: NOT_FETCHED,
  },
  'sends more than a layer': {
    image: layer(() => [file('mine')]),
    intercept: lying((_image, blob) => Buffer.concat([blob, Buffer.from('more')])),
    says: NOT_FETCHED,
  },
  'sends half of each layer': {
    image: layer(() => [file('mine')]),
    intercept: lying((_image, blob) => blob.subarray(0, blob.length / 2)),
    says: NOT_FETCHED,
  },
  'says wrong sizes of layers': {
    image: (_target, programs) => imageOf([programs], { described: { size: 7 } }),
    says: NO_IMAGE,
  },
  'has a list of images with a wrong digest': {
    image: (_target, programs) => {
      const inner = imageOf([programs]);
      const list = Buffer.from(
        JSON.stringify({
          schemaVersion: 2,
          mediaType: 'application/vnd.oci.image.index.v1+json',
          manifests: [
            {
              mediaType: inner.mediaType,
              digest: `sha256:${'0'.repeat(64)}`,
              size: inner.manifest.length,
              platform: { architecture: 'amd64', os: 'linux' },
            },
          ],
        }),
      );
      return {
        ...imageOf([list]),
        manifest: list,
        mediaType: 'application/vnd.oci.image.index.v1+json',
        digest: digestOf(list),
      };
    },
    says: NOT_FETCHED,
  },
  // What is no image.
  'has layers that are text': {
    image: (_target, programs) => imageOf([programs], { described: { mediaType: 'text/plain' } }),
    says: NO_IMAGE,
  },
  'has a layer that is no archive': {
    image: (_target, programs) => imageOf([programs, Buffer.from('no archive')]),
    says: NOT_UNPACKED,
  },
  'has a layer that ends in the middle': {
    image: (_target, programs) =>
      imageOf([programs, gzipSync(tarOf([file('a'.repeat(90))])).subarray(0, 60)]),
    says: NOT_UNPACKED,
  },
  'has a configuration that is none': {
    image: (_target, programs) => imageOf([programs], { manifest: { config: 7 } }),
    says: NO_IMAGE,
  },
  'has layers that are elsewhere': {
    image: (_target, programs, { host }) =>
      imageOf([programs], {
        described: {
          mediaType: 'application/vnd.oci.image.layer.nondistributable.v1.tar+gzip',
          urls: [`http://${host}/elsewhere`],
        },
      }),
    says: NO_IMAGE,
  },
  // What runs in it.
  'has no shell': { image: () => imageOf([[file('mine')]]), says: NO_COMMAND },
  'has a shell that speaks like a program of the sandbox': {
    image: (_target, programs) =>
      imageOf([
        programs,
        [{ ...file('bin/sh2', '#!/bin/sh\necho "prlimit: no" >&2; exit 1\n'), mode: 0o755 }],
      ]),
    commands: () => ['/bin/sh2; echo "prlimit: no" >&2; exit 1'],
  },
  'gives variables that steer programs of the host': {
    image: ({ victim }, programs) =>
      imageOf([programs], {
        environment: [
          `LD_PRELOAD=${victim}`,
          `BASH_ENV=${victim}`,
          'HOME=/root',
          'NODE_OPTIONS=--require=/evil',
          'A\u0000B=c',
          'PATH=/usr/bin:/bin\u0000',
          '__proto__=x',
          '=y',
        ],
      }),
    commands: () => ['echo $HOME'],
  },
  'looks for the host from inside': {
    image: layer(() => []),
    commands: ({ directory: at, secret }) => [
      `cat ${secret} /proc/1/root${secret} /proc/1/environ /proc/self/root${secret} 2>&1; ls ${at} 2>&1`,
      'cat /proc/*/environ 2>&1',
    ],
  },
};
