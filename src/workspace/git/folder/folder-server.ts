// Serves a repository of this machine to a workspace, over HTTP on the loopback address. So a workspace clones and pushes
// in one way only, wherever its repository is.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { basicAuthorization } from '../credentials.ts';
import { endGroup, startGit } from '../engines/native/native-git.ts';
import type { FolderRepository } from './folder.ts';

export interface FolderServer {
  /** Holds no credentials. */
  readonly url: string;
  /** The password, with any user name: nobody else on this machine reaches the repository. */
  readonly token: string;
  close(): Promise<void>;
}

const SERVICES = ['git-upload-pack', 'git-receive-pack'] as const;

const SETTINGS = [
  'uploadpack.allowAnySHA1InWant=true',
  'uploadpack.allowFilter=true',
  'receive.autogc=false',
  'transfer.hideRefs=refs/remotes/',
].flatMap((setting) => ['-c', setting]);

export async function serveFolder(folder: FolderRepository): Promise<FolderServer> {
  const token = randomBytes(32).toString('hex');
  const path = `/folder/${encodeURIComponent(folder.name)}.git`;
  const server = createServer((request, response) => {
    if (!isAllowed(request, token))
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

const isAllowed = ({ headers }: IncomingMessage, token: string): boolean =>
  timingSafeEqual(digest(headers.authorization ?? ''), digest(basicAuthorization(token)));

async function answer(
  { place }: FolderRepository,
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
  const words = [
    ...SETTINGS,
    service.slice('git-'.length),
    '--stateless-rpc',
    ...mode,
    place.gitdir,
  ];
  const child = startGit(place, { environment: { GIT_PROTOCOL: protocol } }, words);
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null) throw new Error('git has no pipes');
  stderr?.resume();
  child.on('error', () => response.destroy());
  // It may answer before it has read everything.
  stdin.on('error', () => {});
  response.once('close', () => endGroup(child));
  if (advertises) stdin.end();
  else if (request.headers['content-encoding'] === 'gzip')
    request.pipe(createGunzip().on('error', () => endGroup(child))).pipe(stdin);
  else request.pipe(stdin);
  const kind = advertises ? 'advertisement' : 'result';
  response.setHeader('content-type', `application/x-${service}-${kind}`);
  if (advertises && !protocol.split(':').includes('version=2')) response.write(announced(service));
  await pipeline(stdout, response);
}

/** The first line of protocol version 1, and the packet that ends a section. */
function announced(service: string): string {
  const line = `# service=${service}\n`;
  return `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
}
