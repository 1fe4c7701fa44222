// Unpacks an image, which may be hostile, where nothing of the machine can be reached: as a command in the sandbox, with
// limits. What it made is looked at from outside then, before anything uses it.
import { lchownSync, renameSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type {
  CommandDone,
  Shell,
  ImageInventory,
  ImageLimits,
} from '../../../../src/contracts/shell.ts';
import { TellPerson } from '../../../../src/lib/errors.ts';
import { ContainedShell, type Machine } from '../contained-shell.ts';
import { INSIDE, USER_ID } from '../inside/environment.ts';
import { visitEntries } from '../process-stat.ts';
import { askForPrograms } from '../programs.ts';
import { SandboxBroken } from '../running/running-sandbox.ts';

const LONGEST_MS = 20 * 60_000;

/** The user of commands comes first, so that the user id has its name, whatever else has it in the image. */
const USERS = `${INSIDE.user}:x:${USER_ID}:${USER_ID}::${INSIDE.home}:/bin/sh`;
const GROUPS = `${INSIDE.user}:x:${USER_ID}:`;
const HOSTS = String.raw`127.0.0.1 localhost sandbox\n::1 localhost\n`;
const NAMES = String.raw`passwd: files\ngroup: files\nhosts: files dns\n`;

/**
 * What the sandbox mounts in or writes to is a directory of the image's own afterwards, not a link. Nothing has rights of its
 * owner, and nothing is a device, a pipe or a socket.
 */
const SCRIPT = `
umoci raw unpack --rootless --image layout:image rootfs 2>&1 || exit
cd rootfs || exit
chmod -R u+rwX . || exit
find . ! -type f ! -type d ! -type l -delete || exit
for name in etc home var; do
  if [ -L $name ] || [ ! -d $name ]; then rm -rf $name && mkdir $name || exit; fi
done
rm -rf home/${INSIDE.user} var/tmp && mkdir home/${INSIDE.user} && ln -s /tmp var/tmp || exit
add() {
  { echo "$2"; [ -L "etc/$1" ] || [ ! -f "etc/$1" ] || head -c 1000000 "etc/$1"; } > ../list || exit
  rm -rf "etc/$1" && mv ../list "etc/$1" || exit
}
add passwd '${USERS}'
add group '${GROUPS}'
rm -rf etc/hosts etc/nsswitch.conf && printf '${HOSTS}' > etc/hosts && printf '${NAMES}' > etc/nsswitch.conf || exit
chmod -R a+rX,go-w,a-st .
`;

/** @throws {TellPerson} that says what is wrong with the image, or what is missing */
export async function unpackImage(
  machine: Machine,
  directory: string,
  { bytes, files }: ImageLimits,
  signal: AbortSignal,
): Promise<void> {
  const limits = { ...machine.limits, disk: bytes, files };
  const bare = { ...machine, limits, given: {}, openEgress: undefined };
  const tree = join(directory, 'tree');
  const done = await new ContainedShell(bare, { directory: tree }).run({
    command: SCRIPT,
    directory: '',
    timeoutMs: LONGEST_MS,
    longestMs: LONGEST_MS,
    signal,
  });
  const why = whyNotUnpacked(done, { bytes, files });
  if (why !== undefined) throw new TellPerson(`The image cannot be unpacked: ${why}.`);
  await sealTree(join(tree, 'rootfs'), { bytes, files });
  renameSync(join(tree, 'rootfs'), join(directory, 'rootfs'));
}

const NOT_FOUND = 127;
const GIB = 1024 ** 3;

const overLimit = ({ bytes, files }: ImageLimits): string =>
  `it takes more than ${(bytes / GIB).toFixed(1)} GiB (the operator can raise ENVIRONMENT_MAX_BYTES), or has more than ${files} files`;

function whyNotUnpacked(
  { ended, exitCode, output }: CommandDone,
  limits: ImageLimits,
): string | undefined {
  if (ended === 'disk') return overLimit(limits);
  if (ended !== 'exited') return `it was ended, because it exceeded its limit of ${ended}`;
  if (exitCode === 0) return undefined;
  if (exitCode === NOT_FOUND)
    return 'the program umoci is missing. The operator can install the package `umoci`';
  return lastLine(output.tail || output.head) || `umoci ended with exit code ${exitCode}`;
}

const MOST_WORDS = 300;

/** Of what a program says of an image: whatever is in there may be in it, too. */
function lastLine(output: string): string {
  const lines = output.split('\n').map((line) => line.replaceAll(/[^\x20-\x7e]+/g, ' ').trim());
  return (lines.findLast((line) => line !== '') ?? '').replaceAll('`', "'").slice(-MOST_WORDS);
}

const SPECIAL_RIGHTS = 0o7000;
const BLOCK = 512;

/** Gives the files to the service, if it is root. @throws {TellPerson} if there is anything that `SCRIPT` does not leave */
async function sealTree(root: string, limits: ImageLimits): Promise<void> {
  let bytes = 0;
  let files = 0;
  let wrong = '';
  const isRoot = process.getuid?.() === 0;
  const look = (path: Buffer, stats: Stats): void => {
    const isKnown = stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
    if (!isKnown) wrong = 'it has something that is neither a file nor a directory nor a link';
    if (!stats.isSymbolicLink() && (stats.mode & SPECIAL_RIGHTS) !== 0)
      wrong = 'it has a program with rights of its owner';
    bytes += (stats.blocks * BLOCK) / (stats.isFile() ? stats.nlink : 1);
    files += 1;
    if (isRoot && wrong === '') lchownSync(path, 0, 0);
  };
  const isOver = (): boolean => bytes > limits.bytes || files > limits.files;
  await visitEntries(root, look, () => wrong !== '' || isOver());
  if (isOver()) wrong = overLimit(limits);
  if (wrong !== '') throw new TellPerson(`The image cannot be used: ${wrong}.`);
}

/** What commands find, as a command in the image says it. @throws {TellPerson} if none runs in it */
export async function examineImage(shellOf: (directory: string) => Shell): Promise<ImageInventory> {
  const found = await askForPrograms(({ directory }) => shellOf(directory)).catch(
    (error: unknown) => {
      // So bubblewrap says that there is no shell.
      if (!(error instanceof SandboxBroken)) throw error;
    },
  );
  if (found === undefined)
    throw new TellPerson(
      'No command runs in the image. It needs `/bin/sh`, and programs for this machine.',
    );
  const { programs, names } = found;
  return { programs, program: names.has('bash') ? 'bash' : 'sh', hasGit: names.has('git') };
}
