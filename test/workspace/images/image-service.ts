// What takes images and runs commands in them, as a process of its own: it may be another user, and may be killed. One JSON
// object a line, in and out.
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { publicNetwork } from '../../../packages/sandbox/src/egress/allow-list.ts';
import { openSandbox } from '../../../packages/sandbox/src/index.ts';
import type { UnpackedImage } from '../../../src/contracts/shell.ts';
import { parseImagePattern, parseImageReference } from '../../../src/lib/image-reference.ts';
import { ImageStore } from '../../../src/workspace/images/image-store.ts';

interface Options {
  readonly images: string;
  readonly allowed: readonly string[];
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly allowHosts: readonly string[];
  /** Names that a resolver of the test's own answers for. */
  readonly addresses: Readonly<Record<string, readonly string[]>>;
}

/** `workspace`: where the commands run. */
interface Request {
  readonly take: string;
  readonly workspace: string;
  readonly commands: readonly string[];
}

const say = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
const { maxBytes, maxFiles, images, ...options }: Options = JSON.parse(process.argv[2] ?? '{}');
const log = pino(
  {},
  { write: (line: string) => say({ logged: (JSON.parse(line) as { msg: string }).msg }) },
);
const opened = await openSandbox(
  { allowHosts: options.allowHosts, log },
  {
    ...publicNetwork,
    resolve: async (host) => options.addresses[host] ?? [],
    // Stands for the public Internet here.
    mayConnect: (address) => Object.values(options.addresses).flat().includes(address),
  },
);
if (opened.state !== 'ready') throw new Error(opened.why);
const { sandbox } = opened;
const { signal } = new AbortController();
const allowed = options.allowed.flatMap((one) => parseImagePattern(one) ?? []);
const store = ImageStore.open(
  { allowed, maxBytes, maxFiles, authFile: undefined, network: {} },
  { directory: images, maxBytes: 2 ** 34 },
  sandbox.unpacker,
  log,
);
if (typeof store === 'string') throw new Error(store);

async function run(
  image: UnpackedImage,
  { workspace, commands }: Pick<Request, 'workspace' | 'commands'>,
): Promise<string[]> {
  const shell = sandbox.shell({ directory: workspace }, image);
  const outputs: string[] = [];
  for (const command of commands) {
    const request = { command, directory: '', timeoutMs: 100_000, signal };
    const { output, ended } = await shell.run(request);
    outputs.push(ended === 'exited' ? output.head + output.tail : `ended: ${ended}`);
  }
  return outputs;
}

say({ opened: true });
for await (const text of createInterface({ input: process.stdin })) {
  const request: Request = JSON.parse(text);
  const reference = parseImageReference(request.take);
  try {
    if (reference === undefined) throw new Error('no reference');
    const image = await store.take(reference, { signal });
    say({ done: { root: image.root, facts: image.facts, outputs: await run(image, request) } });
  } catch (error) {
    say({ error: error instanceof Error ? error.message : String(error) });
  }
}
await store.close();
await sandbox.close();
