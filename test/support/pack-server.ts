// A server that answers every fetch with one pack, whatever that is: git itself would not send some.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { encodePktLine, FLUSH } from '../../src/workspace/git/http-client.ts';

export interface PackServer {
  readonly url: string;
  /** What `main` is, and what a fetch gets. */
  commit: string;
  pack: Buffer;
  close(): Promise<void>;
}

const DELIMITER = Buffer.from('0001');
const BAND_BYTES = 60_000;
const CAPABILITIES = 'side-band-64k shallow allow-reachable-sha1-in-want allow-any-sha1-in-want';
const SECOND = ['version 2\n', 'ls-refs\n', 'fetch=shallow filter\n', 'object-format=sha1\n'];

export async function startPackServer(): Promise<PackServer> {
  const served = { commit: '', pack: Buffer.of() };
  const server = createServer((request, response) => void answer(served, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(served, {
    url: `http://127.0.0.1:${port}/octo/hostile.git`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

type Served = Pick<PackServer, 'commit' | 'pack'>;

async function answer(served: Served, request: IncomingMessage, response: ServerResponse) {
  const isSecond = String(request.headers['git-protocol']).includes('version=2');
  const body = (await buffer(request)).toString('latin1');
  const advertises = request.method === 'GET';
  const type = advertises ? 'advertisement' : 'result';
  response.writeHead(200, { 'content-type': `application/x-git-upload-pack-${type}` });
  const parts = advertises ? advertised(served, isSecond) : answered(served, isSecond, body);
  response.end(Buffer.concat(parts));
}

function advertised({ commit }: Served, isSecond: boolean): Buffer[] {
  const service = [encodePktLine('# service=git-upload-pack\n'), FLUSH];
  if (isSecond) return [...service, ...SECOND.map(encodePktLine), FLUSH];
  const head = encodePktLine(`${commit} HEAD\0${CAPABILITIES} symref=HEAD:refs/heads/main\n`);
  return [...service, head, encodePktLine(`${commit} refs/heads/main\n`), FLUSH];
}

function answered({ commit, pack }: Served, isSecond: boolean, body: string): Buffer[] {
  const shallow = body.includes('deepen') ? [encodePktLine(`shallow ${commit}\n`)] : [];
  if (!isSecond) {
    const lines = shallow.length > 0 ? [...shallow, FLUSH] : [];
    return [...lines, encodePktLine('NAK\n'), ...banded(pack), FLUSH];
  }
  if (body.includes('command=ls-refs')) {
    const head = encodePktLine(`${commit} HEAD symref-target:refs/heads/main\n`);
    return [head, encodePktLine(`${commit} refs/heads/main\n`), FLUSH];
  }
  const information = [encodePktLine('shallow-info\n'), ...shallow, DELIMITER];
  const asks = body.includes('have ') && !body.includes('done');
  // Whatever the client has, it gets the whole pack.
  const ready = asks ? [...['acknowledgments\n', 'ready\n'].map(encodePktLine), DELIMITER] : [];
  const lines = shallow.length > 0 ? [...ready, ...information] : ready;
  return [...lines, encodePktLine('packfile\n'), ...banded(pack), FLUSH];
}

function* banded(pack: Buffer): Generator<Buffer> {
  for (let at = 0; at < pack.byteLength; at += BAND_BYTES) {
    const content = Buffer.concat([Buffer.of(1), pack.subarray(at, at + BAND_BYTES)]);
    const length = (content.byteLength + 4).toString(16).padStart(4, '0');
    yield Buffer.concat([Buffer.from(length), content]);
  }
}
