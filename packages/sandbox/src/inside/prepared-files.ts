import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TEMPORARY_PREFIX } from '../../../../src/lib/directories.ts';
import { INSIDE, USER_ID } from './environment.ts';

/** The parts of /etc that programs need. None of them holds secrets. */
const COPIED = [
  'ca-certificates',
  'crypto-policies',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'pki/ca-trust/extracted',
  'pki/java',
  'pki/tls/certs',
  'protocols',
  'services',
  'ssl/openssl.cnf',
  'timezone',
];

/** Mounted, not copied: these hold hundreds of links. */
const MOUNTED = ['alternatives', 'ssl/certs'];

/** Configuration that these packages cannot work without. */
const OF_TOOLCHAINS = /^(java-[\w.-]+|maven|gradle|perl|python[\d.]*)$/;

const WRITTEN = {
  passwd: `root:x:0:0:root:/:/bin/sh\n${INSIDE.user}:x:${USER_ID}:${USER_ID}::${INSIDE.home}:/bin/sh\n`,
  group: `root:x:0:\n${INSIDE.user}:x:${USER_ID}:\n`,
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
} as const;

const FRESH_MS = 24 * 3_600_000;

/**
 * A copy of /etc to mount, and the system call filter. Mounting one copy takes a fifth of the time of
 * many single mounts.
 */
export class PreparedFiles {
  private readonly filter: Uint8Array;
  /** The last one is in use. A command that is starting may still mount the one before it. */
  private directories: readonly string[] = [];
  private madeAt = 0;

  constructor(filter: Uint8Array) {
    this.filter = filter;
  }

  /** Rebuilt once a day, because systems delete old files in temporary directories one by one. */
  paths(): { readonly etc: readonly string[]; readonly filter: string } {
    const isFresh = performance.now() - this.madeAt < FRESH_MS;
    const known = this.directories.at(-1);
    const directory =
      known !== undefined && isFresh && existsSync(join(known, 'etc')) ? known : this.make();
    const mounted = MOUNTED.map((name) => join('/etc', name)).filter((path) => existsSync(path));
    const etc = [[join(directory, 'etc'), '/etc'], ...mounted.map((path) => [path, path])];
    return {
      etc: etc.flatMap((paths) => ['--ro-bind', ...paths]),
      filter: join(directory, 'filter'),
    };
  }

  remove(): void {
    this.keep([]);
  }

  private keep(kept: readonly string[]): void {
    for (const directory of this.directories)
      if (!kept.includes(directory)) rmSync(directory, { recursive: true, force: true });
    this.directories = kept;
  }

  private make(): string {
    const directory = mkdtempSync(join(tmpdir(), TEMPORARY_PREFIX));
    const etc = join(directory, 'etc');
    chmodSync(directory, 0o711);
    mkdirSync(etc);
    for (const name of [...COPIED, ...readdirSync('/etc').filter((one) => OF_TOOLCHAINS.test(one))])
      copy(join('/etc', name), join(etc, name));
    for (const name of MOUNTED) mkdirSync(join(etc, name), { recursive: true });
    for (const [name, text] of Object.entries(WRITTEN)) writeFileSync(join(etc, name), text);
    for (const path of [etc, ...['pki', 'ssl', ...Object.keys(WRITTEN)].map((n) => join(etc, n))])
      if (existsSync(path)) chmodSync(path, 0o755);
    writeFileSync(join(directory, 'filter'), this.filter);
    this.keep([...this.directories.slice(-1), directory]);
    this.madeAt = performance.now();
    return directory;
  }
}

function copy(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: isReadable });
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false; // Readable by root only, or a dangling link.
  }
}
