import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Sandbox } from '../../../packages/sandbox/src/index.ts';
import { TellPerson } from '../../lib/errors.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import type { ImageReference } from '../../lib/image-reference.ts';
import type {
  ImageOfCommands,
  UnpackedImage,
  Program,
  ProgramRequest,
  BorrowedDirectories,
  ContainedPaths,
  Shell,
  ShellProgram,
} from '../../contracts/shell.ts';
import {
  ImageStore,
  type ImageSettings,
  type ImageWaiting,
} from '../../workspace/images/image-store.ts';
import type { ShellKind } from '../../session/entry.ts';
import type { ServiceNeed } from '../../contracts/service.ts';
import type { OpenStore } from '../../store/open.ts';
import type { ServerSettings } from '../../mcp/settings.ts';

interface CommandDirectory {
  readonly directory: string;
  readonly borrowed?: BorrowedDirectories | undefined;
}

export interface CommandHomes {
  /** The home of the commands of a workspace; not there before the first of them. */
  homeOf(place: CommandDirectory): string;
  /** A digest of what all commands have besides their workspace. */
  surroundings(): string;
}

/** How commands of the agent are run. Without shells, there are no dangerous tools. */
export interface Shells {
  readonly kind: ShellKind;
  /** What reads a command. */
  readonly program: ShellProgram;
  /** Set if a sandbox contains them. */
  readonly contained?: ContainedPaths | undefined;
  /** The image that they run in; `undefined`: with the programs of the machine. */
  readonly image?: ImageOfCommands | undefined;
  /** The hosts that they reach; `undefined` if nothing limits that. */
  readonly hosts?: readonly string[] | undefined;
  /** The programs that they find, as a list in words; empty if that is not known. */
  readonly programs?: Promise<string> | undefined;
  /** How long a command takes at most if nobody asks for another time. */
  readonly timeoutSeconds?: number | undefined;
  /** How long tests, and commands that prepare a workspace, take at most. */
  readonly longestSeconds?: number | undefined;
  /** The shell of the workspace that lies there, by an absolute path. */
  open(place: CommandDirectory): Shell;
  /** Set if what commands make in one workspace may be kept for others: they are contained. */
  readonly keeping?: CommandHomes | undefined;
  /** Starts a program that runs beside the commands of a workspace. */
  start(place: CommandDirectory, request: ProgramRequest): Promise<Program>;
  /** The same for commands in an image. @throws {TellPerson} if that is not possible */
  inImage(reference: ImageReference, waiting: ImageWaiting): Promise<Shells>;
  /** Rejects with what is wrong if commands cannot be started any more. */
  ready(): Promise<void>;
  /** Ends all commands and programs. */
  close(): Promise<void>;
}

/** Whether and how the agent may run commands. */
export interface ShellSettings {
  /** Whether dangerous tools may exist at all. */
  readonly isAllowed: boolean;
  /** `unsafe`: commands can do whatever the service can. */
  readonly sandbox: 'bubblewrap' | 'unsafe';
  /** Hosts that commands may reach: `registry.example.com` or `*.example.com`, optionally with `:port`. */
  readonly allowHosts: readonly string[];
  /** Those that they may reach at addresses of private networks too. */
  readonly privateHosts: readonly string[];
  /** Absolute paths that commands may read besides the system's own directories. */
  readonly readPaths: readonly string[];
  /** Files with the operator's secrets. They stay hidden even if commands may read their directory. */
  readonly secretFiles: readonly string[];
  /** Variables that every command gets. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long a command takes at most if nobody asks for another time. */
  readonly timeoutSeconds: number | undefined;
  /** How long tests, and commands that prepare a workspace, take at most. */
  readonly longestSeconds?: number | undefined;
  /** The images that repositories may choose. */
  readonly images: ImageSettings;
}

export interface ShellSurroundings {
  /** Never to be read by a command. */
  readonly dataDir: string;
  /** Where images are kept, and how many bytes of them. */
  readonly imageRoom: { readonly directory: string; readonly maxBytes: number };
  readonly log: Logger;
}

/** By its name, and by the target of a link. */
function whereItLies(path: string): string[] {
  const named = resolve(path);
  return existsSync(named) ? [...new Set([named, realpathSync(named)])] : [named];
}

const UNSAFE =
  "SANDBOX=unsafe: the agent's commands are NOT sandboxed and can do anything this service can. Remove this setting unless this machine and its network are disposable.";

const limitsOf = ({ timeoutSeconds, longestSeconds }: ShellSettings) => ({
  timeoutSeconds,
  longestSeconds,
});

/**
 * Commands as the operator allows them: only after the sandbox of this machine has proved itself, or
 * if the operator explicitly does without one. `undefined`: the agent works without commands.
 */
export async function openShells(
  settings: ShellSettings,
  { dataDir, imageRoom, log }: ShellSurroundings,
): Promise<Shells | undefined> {
  if (!settings.isAllowed) return undefined;
  const { homeOf, openSandbox, shellProgram, startUnsafeProgram, unsafeShell } =
    await import('../../../packages/sandbox/src/index.ts');
  const { environment } = settings;
  const program = shellProgram();
  if (settings.sandbox === 'unsafe') {
    log.warn(UNSAFE);
    return {
      kind: 'unsafe',
      program,
      ...limitsOf(settings),
      open: (workspace) => unsafeShell(workspace, { environment }),
      start: startUnsafeProgram,
      inImage: () => Promise.reject(new TellPerson(NOT_CONTAINED)),
      ready: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }
  const opened = await openSandbox({
    allowHosts: settings.allowHosts,
    privateHosts: settings.privateHosts,
    readOnlyPaths: settings.readPaths,
    environment,
    hiddenPaths: [dataDir, ...settings.secretFiles].flatMap(whereItLies),
    log,
  });
  if (opened.state === 'absent') {
    log.warn(
      { reason: opened.why },
      'sandbox unavailable: the agent works without commands (docs/security.md)',
    );
    return undefined;
  }
  const { allowHosts, privateHosts } = settings;
  const { memoryLimit } = opened.sandbox;
  log.info({ allowHosts, privateHosts, memoryLimit }, 'commands run in the sandbox');
  return withImages(opened.sandbox, settings, { imageRoom, log, homeOf, program });
}

const NOT_CONTAINED =
  'The repository asks for an `environment` of its own, which only the sandbox can give, and the operator has set SANDBOX=unsafe.';
const NO_IMAGES =
  'The repository asks for an `environment` of its own, and the operator of Issuewright allows no images (ENVIRONMENT_IMAGES).';

interface ImageSurroundings extends Pick<ShellSurroundings, 'imageRoom' | 'log'> {
  readonly homeOf: CommandHomes['homeOf'];
  readonly program: ShellProgram;
}

function withImages(
  sandbox: Sandbox,
  settings: ShellSettings,
  { imageRoom, log, homeOf, program }: ImageSurroundings,
): Shells {
  const images = openImages(settings.images, imageRoom, sandbox, log);
  const shells = containedShells(sandbox, settings, homeOf);
  const inImage: Shells['inImage'] = async (reference, waiting) => {
    if (typeof images === 'string') throw new TellPerson(images);
    const image = await images.take(reference, waiting);
    const inside = containedShells(sandbox, settings, homeOf, image);
    const open: Shells['open'] = (place) => {
      const shell = inside.open(place);
      const run: Shell['run'] = async (request) => {
        // It may have made room for others meanwhile, and is fetched again to the same place.
        await images.take(reference, { signal: request.signal });
        return shell.run(request);
      };
      return { run };
    };
    const { name, digest, seconds, facts } = image;
    const named = withoutUndefined({ name, digest, seconds });
    const contained = sandbox.pathsIn(image);
    return { ...shells, ...inside, inImage, open, program: facts.program, contained, image: named };
  };
  const close = async (): Promise<void> => {
    if (typeof images !== 'string') await images.close();
    await shells.close();
  };
  return { ...shells, program, inImage, close };
}

/** Or a sentence that says why there are none. Without allowed images, nothing is made or looked at. */
function openImages(
  settings: ImageSettings,
  room: ShellSurroundings['imageRoom'],
  { unpacker }: Sandbox,
  log: Logger,
): ImageStore | string {
  if (settings.allowed.length === 0) return NO_IMAGES;
  const store = ImageStore.open(settings, room, unpacker, log);
  if (typeof store !== 'string') return store;
  log.warn({ reason: store }, 'images cannot be used');
  return `The repository asks for an \`environment\` of its own, and images cannot be used here: ${store}. The operator can let them (\`chmod o+x\`), or run the service as another user.`;
}

/** With the name of the image: for the model, that is the same matter. */
const programsIn = ({ name, facts }: UnpackedImage): string =>
  facts.programs === '' ? `those of the image ${name}` : `${facts.programs} (image ${name})`;

const containedShells = (
  sandbox: Sandbox,
  settings: ShellSettings,
  homeOf: CommandHomes['homeOf'],
  image?: UnpackedImage,
): Omit<Shells, 'program' | 'inImage'> => ({
  kind: 'contained',
  contained: sandbox.paths,
  hosts: [...settings.allowHosts, ...settings.privateHosts],
  programs: image === undefined ? sandbox.programs : Promise.resolve(programsIn(image)),
  ...limitsOf(settings),
  open: (workspace) => sandbox.shell(workspace, image),
  keeping: { homeOf, surroundings: () => sandbox.surroundings(image) },
  start: (workspace, request) => sandbox.start(workspace, request),
  ready: () => sandbox.ready(),
  close: () => sandbox.close(),
});

/** The sandbox of a process whose sessions may run commands: it is tried at the start. */
export class SandboxNeed implements ServiceNeed {
  readonly lack = 'the sandbox, in which the agent runs commands, is not available';
  #check = (): Promise<void> => Promise.reject(new Error('it was not tried yet'));

  readonly check = (): Promise<void> => this.#check();

  /** `undefined`: the agent works without commands, although the operator allows them. */
  tried(shells: Pick<Shells, 'ready'> | undefined): void {
    this.#check = async () => {
      if (shells === undefined) throw new Error('it was not available when the service started');
      await shells.ready();
    };
  }
}

/** What a process needs to do its work. */
export const needsOf = (
  store: Pick<OpenStore, 'ready' | 'queue'>,
  sandbox: SandboxNeed | undefined,
): readonly ServiceNeed[] => [
  { lack: 'the database does not answer', check: () => store.ready() },
  { lack: 'the queue does not answer', check: () => store.queue.ready() },
  ...(sandbox === undefined ? [] : [sandbox]),
];

/** Says early which servers no run will have. */
export function warnOfServers(
  servers: readonly ServerSettings[],
  { shells, log }: { readonly shells: Shells | undefined; readonly log: Logger },
): void {
  const local = servers.filter(({ kind }) => kind === 'local').map(({ name }) => name);
  if (local.length === 0 || shells !== undefined) return;
  log.warn(
    { servers: local },
    'local MCP servers are not available: they need commands (ALLOW_DANGEROUS_TOOLS) and the sandbox',
  );
}
