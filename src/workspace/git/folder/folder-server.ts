// Serves a repository of this machine to a workspace, over HTTP on the loopback address. So a workspace clones and pushes
// in one way only, wherever its repository is.
import type { ChildProcess } from 'node:child_process';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { TellPerson } from '../../../lib/errors.ts';
import { basicAuthorization } from '../credentials.ts';
import { endGroup, startGit, type NativePlace } from '../engines/native/native-git.ts';
import { encodePktLine, FLUSH, pktLinesIn } from '../http-client.ts';
import { NotMoved } from './folder-copy.ts';
import type { FolderRepository } from './folder.ts';

export interface FolderServer {
  /** Holds no credentials. */
  readonly url: string;
  /** The password, with any user name: nobody else on this machine reaches the repository. */
  readonly token: string;
  close(): Promise<void>;
}

const SERVICES = ['git-upload-pack', 'git-receive-pack'] as const;

/** The first byte of a packet that has a part of the report. */
const BAND = 1;

const SETTINGS = [
  // On one machine, packing well takes far longer than what it saves.
  'pack.window=0',
  'pack.compression=0',
  'uploadpack.allowAnySHA1InWant=true',
  'uploadpack.allowFilter=true',
  'receive.autogc=false',
  'transfer.hideRefs=refs/remotes/',
].flatMap((setting) => ['-c', setting]);

export async function serveFolder(folder: FolderRepository): Promise<FolderServer> {
  const token = randomBytes(32).toString('hex');
  const path = `/folder/${encodeURIComponent(folder.name)}.git`;
  const expected = digest(basicAuthorization(token));
  const server = createServer((request, response) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected))
      response.writeHead(401, { 'www-authenticate': 'Basic' }).end('Bad credentials');
    else answer(folder, path, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    token,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Digests have one length, whatever was given. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

async function answer(
  repository: FolderRepository,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const operation = pathname.startsWith(`${path}/`) ? pathname.slice(path.length + 1) : '';
  const advertises = operation === 'info/refs';
  const wanted = advertises ? searchParams.get('service') : operation;
  const service = SERVICES.find((one) => one === wanted);
  if (service === undefined) return void response.writeHead(404).end();
  const mode = advertises ? ['--advertise-refs'] : [];
  const protocol = String(request.headers['git-protocol'] ?? '');
  const kind = advertises ? 'advertisement' : 'result';
  response.setHeader('content-type', `application/x-${service}-${kind}`);
  if (advertises) {
    await repository.refresh();
    if (!protocol.split(':').includes('version=2')) response.write(announced(service));
  }
  const start = (): ChildProcess => {
    const words = [service.slice('git-'.length), '--stateless-rpc', ...mode];
    return startService(repository.place, words, protocol, request, response);
  };
  if (service === 'git-receive-pack' && !advertises) response.end(await receive(repository, start));
  else await pipeline(start().stdout ?? [], response);
}

function startService(
  place: NativePlace,
  words: readonly string[],
  protocol: string,
  request: IncomingMessage,
  response: ServerResponse,
): ChildProcess {
  const settings = [...SETTINGS, '-c', `safe.directory=${place.gitdir}`];
  const options = { environment: { GIT_PROTOCOL: protocol } };
  const child = startGit(place, options, [...settings, ...words, place.gitdir]);
  const { stdin, stderr } = child;
  if (stdin === null) throw new Error('git has no pipes');
  stderr?.resume();
  child.on('error', () => response.destroy());
  // It may answer before it has read everything.
  stdin.on('error', () => {});
  response.once('close', () => endGroup(child));
  if (request.method === 'GET') stdin.end();
  else if (request.headers['content-encoding'] === 'gzip')
    request.pipe(createGunzip().on('error', () => endGroup(child))).pipe(stdin);
  else request.pipe(stdin);
  return child;
}

/** Resolves with what git reports of a push, or with why it does not reach the folder. */
async function receive(
  repository: FolderRepository,
  start: () => ChildProcess,
): Promise<Uint8Array> {
  let report = Buffer.of();
  try {
    await repository.take(async () => {
      report = await buffer(start().stdout ?? Readable.from([]));
    });
    return report;
  } catch (error) {
    if (!(error instanceof NotMoved || error instanceof TellPerson)) throw error;
    return refusal(report, error.message);
  }
}

/** The report of a push as git makes it, with another status for each reference. */
async function refusal(report: Buffer, reason: string): Promise<Buffer> {
  const lines = await pktLinesIn([report]);
  const banded = lines.filter((line) => line[0] === BAND).map((line) => line.subarray(1));
  const inner = banded.length > 0 ? Buffer.concat(banded) : report;
  const status = `ng $1 ${reason.replaceAll('\n', ' ').replaceAll('$', '$$$$')}\n`;
  const statuses = (await pktLinesIn([inner])).map((line) =>
    encodePktLine(line.toString().replace(/^ok (\S+)\n?$/, status)),
  );
  const all = Buffer.concat([...statuses, FLUSH]);
  if (banded.length === 0) return all;
  return Buffer.concat([encodePktLine(String.fromCharCode(BAND) + all.toString()), FLUSH]);
}

/** The first line of protocol version 1, and the packet that ends a section. */
function announced(service: string): string {
  const line = `# service=${service}\n`;
  return `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
}
