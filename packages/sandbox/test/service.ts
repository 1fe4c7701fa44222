// A service in small: opens a sandbox and runs commands. Started as a child, so that it can be another
// user, and can be killed. One JSON object a line, in and out.
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { openSandbox } from '../src/index.ts';
import type { SandboxOptions } from '../src/index.ts';
import type { CommandRepository, Shell, UnpackedImage } from '../../../src/contracts/shell.ts';

interface Line {
  readonly id: number;
  readonly directory: string;
  readonly command: string;
  readonly timeoutMs: number;
  readonly repository?: CommandRepository;
}

const say = (message: object): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`);
};

interface Options extends Omit<SandboxOptions, 'log' | 'allowHosts'> {
  readonly image?: UnpackedImage;
}

const { image, ...options }: Options = JSON.parse(process.argv[2] ?? '{}');
const opened = await openSandbox({ ...options, allowHosts: [], log: pino({ level: 'silent' }) });
const memoryLimit = opened.state === 'ready' ? opened.sandbox.memoryLimit : '';
say({ opened: opened.state === 'ready' ? 'ready' : opened.why, memoryLimit });
if (opened.state === 'ready') {
  const { sandbox } = opened;
  const shells = new Map<string, Shell>();
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (text) => {
    const { id, directory, command, timeoutMs, repository }: Line = JSON.parse(text);
    const shell = shells.get(directory) ?? sandbox.shell({ directory }, image);
    shells.set(directory, shell);
    const onOutput = (output: string): void => say({ id, output });
    const signal = new AbortController().signal;
    shell.run({ command, directory: '', timeoutMs, signal, onOutput, repository }).then(
      (done) => say({ id, done }),
      (error: unknown) => say({ id, error: String(error) }),
    );
  });
  lines.on('close', () => void sandbox.close());
}
