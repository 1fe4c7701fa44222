// git's smart HTTP protocol with one process per request, where `git http-backend` would need three.
import { spawn, type ChildProcess } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import { Duplex, Readable, type Writable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Signature } from './git.ts';
import { gitEnvironment } from './git.ts';
import { answerHook, type Judge } from './pre-receive.ts';

export type GitService = 'git-upload-pack' | 'git-receive-pack';

export interface GitRequest {
  /** The bare repository. */
  readonly directory: string;
  readonly service: GitService;
  /** Only advertises the refs and capabilities. */
  readonly advertises: boolean;
  readonly as: Signature;
  readonly raw: IncomingMessage;
  readonly body: unknown;
  /** Added to the environment of git and its hooks. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Decides about a push. */
  readonly judge?: Judge;
}

export interface GitAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /** Resolves when git has exited. */
  readonly ended: Promise<void>;
}

/** Lets git answer the request. Throws if git cannot be started. */
export async function askGit(request: GitRequest): Promise<GitAnswer> {
  const { directory, service, advertises, raw } = request;
  const mode = advertises ? ['--stateless-rpc', '--advertise-refs'] : ['--stateless-rpc'];
  const child = spawn('git', [service.slice('git-'.length), ...mode, '.'], {
    cwd: directory,
    env: {
      ...gitEnvironment(request.as),
      GIT_PROTOCOL: protocolOf(raw),
      LOCAL_GITHUB: request.judge === undefined ? 'silent' : 'asked',
      ...request.environment,
    },
    stdio: ['pipe', 'pipe', 'ignore', 'pipe', 'pipe'],
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('git has no pipes');
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  letHookAsk(request, child);
  const kill = (): boolean => child.kill();
  stdin.on('error', () => undefined); // git may answer before it has read everything
  feed(request, stdin, kill);
  endWith(raw, kill);
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  if (advertises && !isSecondVersion(raw)) stdout.unshift(announcement(service));
  return { headers: headersOf(request), body: stdout, ended };
}

function letHookAsk({ directory, judge }: GitRequest, { stdio }: ChildProcess): void {
  const [asked, answer] = [stdio[3], stdio[4]];
  if (!(asked instanceof Readable) || !(answer instanceof Duplex)) return;
  if (judge === undefined) answer.end();
  else void answerHook(directory, asked, answer, judge);
}

const protocolOf = ({ headers }: IncomingMessage): string => String(headers['git-protocol'] ?? '');

/** In protocol version 2, git sends no refs until the client asks. */
export const isSecondVersion = (raw: IncomingMessage): boolean =>
  protocolOf(raw).split(':').includes('version=2');

/** The first line of protocol version 1, and the packet that ends a section. */
function announcement(service: GitService): Buffer {
  const line = `# service=${service}\n`;
  return Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
}

export const headersOf = ({
  service,
  advertises,
}: Pick<GitRequest, 'service' | 'advertises'>): Record<string, string> => ({
  'content-type': `application/x-${service}-${advertises ? 'advertisement' : 'result'}`,
  'cache-control': 'no-cache, max-age=0, must-revalidate',
});

function feed({ body, raw }: GitRequest, input: Writable, kill: () => void): void {
  if (!isStream(body)) input.end();
  else if (raw.headers['content-encoding'] !== 'gzip') body.pipe(input);
  else body.pipe(createGunzip().on('error', kill)).pipe(input);
}

const isStream = (body: unknown): body is IncomingMessage =>
  typeof body === 'object' && body !== null && 'pipe' in body;

/** If its input is not closed, git waits for the rest of a request in a busy loop. */
function endWith(raw: IncomingMessage, kill: () => void): void {
  const killBroken = (): void => {
    const { complete, destroyed, socket } = raw;
    if (socket.destroyed || (destroyed && !complete)) kill();
  };
  raw.once('close', killBroken);
  raw.socket.once('close', killBroken);
  killBroken();
}
