// Images that people attach to what they write. Only a page that shows one has an address that opens it, signed and for a
// short time (rule `attachment-addresses`).
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { GitHubError } from './github-error.ts';
import { checkHost, checkOrigin } from './pages/guard.ts';

const PATH = '/user-attachments/assets/';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const VALID_MS = 5 * 60_000;
const MOST_BYTES = 10 * 1024 * 1024;

export class Attachments {
  readonly #directory: string;
  readonly #secret = randomBytes(32);

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The path of its address in Markdown. */
  add(content: Uint8Array): string {
    const id = randomUUID();
    mkdirSync(this.#directory, { recursive: true });
    writeFileSync(path.join(this.#directory, id), content);
    return PATH + id;
  }

  /** Throws a 404 for an address that is not signed, or no longer. */
  open(id: string, signature: string): Buffer {
    const [until = ''] = signature.split('.');
    const expected = Buffer.from(this.#signatureOf(id, Number(until)));
    const given = Buffer.from(signature);
    const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
    if (!UUID.test(id) || !isSigned || Number(until) < Date.now())
      throw new GitHubError('attachment-addresses', 404, 'Not Found');
    return readFileSync(path.join(this.#directory, id));
  }

  /** The address that a page has for an image; another one stays as it is. */
  shown(address: string, url: string): string {
    const start = url + PATH;
    if (!address.startsWith(start)) return address;
    return `${address}?jwt=${this.#signatureOf(address.slice(start.length), Date.now() + VALID_MS)}`;
  }

  #signatureOf(id: string, until: number): string {
    const digest = createHmac('sha256', this.#secret).update(`${id} ${until}`).digest('hex');
    return `${until}.${digest}`;
  }
}

/** What a browser may be shown: anything else is sent as a file. */
const IMAGE = /^image\/(png|jpeg|gif|webp)$/;

export function registerAttachments(
  server: FastifyInstance,
  attachments: Attachments,
  url: () => string,
): void {
  server.addContentTypeParser(
    IMAGE,
    { parseAs: 'buffer', bodyLimit: MOST_BYTES },
    (_request, body, done) => done(null, body),
  );
  server.post(PATH.slice(0, -1), { bodyLimit: MOST_BYTES }, (request, reply) => {
    checkOrigin(request);
    if (!Buffer.isBuffer(request.body)) throw new GitHubError('own', 415, 'Send an image.');
    return reply.code(201).send({ url: url() + attachments.add(request.body) });
  });
  server.get<{ Params: { id: string }; Querystring: { jwt?: string } }>(
    `${PATH}:id`,
    (request, reply) => {
      checkHost(request);
      const content = attachments.open(request.params.id, request.query.jwt ?? '');
      return reply
        .headers({
          'content-type': 'application/octet-stream',
          'x-content-type-options': 'nosniff',
        })
        .send(content);
    },
  );
}
