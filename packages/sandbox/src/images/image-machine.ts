// What commands in an image have in place of the machine's own programs and files.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ContainedPaths, ImageRoot, UnpackedImage } from '../../../../src/contracts/shell.ts';
import { TellPerson } from '../../../../src/lib/errors.ts';
import type { Machine } from '../contained-shell.ts';
import { cleanEnvironment, INSIDE } from '../inside/environment.ts';

/** The sandbox has these of its own. */
const OWN = new Set(['dev', 'proc', 'run', 'sys', 'tmp', basename(INSIDE.workspace)]);
const MOST_ENTRIES = 200;
const MOST_VARIABLES = 200;

/** What an image says is for its own programs, unless the sandbox knows better. */
const OF_THE_SANDBOX = ['HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'TERM', 'CI'];

export interface ImageShell extends ImageRoot {
  /** What reads commands. */
  readonly shell: '/bin/sh' | 'bash';
  readonly hasGit: boolean;
}

/**
 * The machine as commands in an image see it: nothing of the host but the kernel. Their limits are set from outside, because
 * the programs of an image are not ours.
 */
export const machineWith = (machine: Machine, image: ImageShell): Machine => ({
  ...machine,
  environment: environmentIn(image),
  system: imageMounts(image.root),
  etc: [],
  shell: image.shell,
  readable: [],
  keepsTemporary: true,
  hasGit: image.hasGit,
  isImage: true,
  openEgress: machine.openEgressInImage,
});

/** A digest of all that commands in it have besides their workspace. */
export const digestOfImage = (digest: string, given: Readonly<Record<string, string>>): string =>
  createHash('sha256').update(JSON.stringify({ digest, given })).digest('hex');

/** What commands in it reach. */
export const pathsIn = ({ facts }: UnpackedImage): ContainedPaths => ({
  workspace: INSIDE.workspace,
  home: INSIDE.home,
  readable: [''],
  hasGit: facts.hasGit,
  keepsTemporary: true,
});

/** Only bubblewrap's arguments carry them: variables of bubblewrap itself would steer a program of the host. */
function environmentIn({ environment }: ImageRoot): Record<string, string> {
  const clean = cleanEnvironment(INSIDE.home, [], []);
  const own = Object.fromEntries(OF_THE_SANDBOX.map((name) => [name, clean[name] ?? '']));
  const taken = Object.entries(environment).filter(isVariable).slice(0, MOST_VARIABLES);
  return { ...clean, ...Object.fromEntries(taken), ...own };
}

const isVariable = ([name, value]: readonly [string, string]): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !value.includes('\0');

/**
 * Arguments that mount what an image has, entry by entry, below a root that is the sandbox's own. bubblewrap follows links
 * where it mounts: no entry of an image that something is mounted in is one (`unpackImage`).
 */
function imageMounts(root: string): string[] {
  const names = readdirSync(root).filter((name) => !OWN.has(name));
  if (names.length > MOST_ENTRIES)
    throw new TellPerson(`The image has ${names.length} entries in its root directory.`);
  return names.flatMap((name) => {
    const path = join(root, name);
    return lstatSync(path).isSymbolicLink()
      ? ['--symlink', readlinkSync(path), `/${name}`]
      : ['--ro-bind', path, `/${name}`];
  });
}
