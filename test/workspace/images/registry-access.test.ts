// How skopeo gets to registries: over TLS, and with a token that it has to ask for.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseImagePattern, parseImageReference } from '../../../src/lib/image-reference.ts';
import { findImage, type ImageSettings } from '../../../src/workspace/images/image-store.ts';
import { canCertify, certificatesFor } from '../../support/certificates.ts';
import { imageOf, ImageRegistry } from '../../support/oci-image.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { whyNoImages } from './support.ts';

const image = imageOf([[{ name: 'etc', type: 'directory' }]]);
const TOKEN = 'a-token-of-the-registry';
const LOGIN = Buffer.from('ann:her password').toString('base64');

const declare = whyNoImages === '' && canCertify ? describe : describe.skip;
declare(`a registry that is asked for an image over TLS ${whyNoImages}`, () => {
  const before = tls.getCACertificates('default');
  const directory = temporaryDirectory();
  const authFile = join(directory, 'auth.json');
  let registry: ImageRegistry;
  let settings: ImageSettings;
  let authorityFile = '';

  beforeAll(async () => {
    const { tls: certified, authority } = certificatesFor('IP:127.0.0.1');
    registry = await ImageRegistry.start(certified);
    registry.add('team/tool', image);
    writeFileSync(authFile, JSON.stringify({ auths: { [registry.host]: { auth: LOGIN } } }));
    const pattern = parseImagePattern(`${registry.host}/team/*`);
    const allowed = pattern === undefined ? [] : [pattern];
    settings = { allowed, maxBytes: 1, maxFiles: 1, network: {}, authFile: undefined };
    authorityFile = authority;
  });
  afterAll(async () => {
    tls.setDefaultCACertificates([...before]);
    await registry.close();
  });

  const find = async (tail: string, more: Partial<ImageSettings> = {}): Promise<string> => {
    const reference = parseImageReference(`${registry.host}/team/${tail}`);
    if (reference === undefined) throw new Error('no reference');
    const { signal } = new AbortController();
    return findImage(reference, { ...settings, ...more }, signal).then(
      () => 'found',
      (error: Error) => error.message,
    );
  };

  it('is not believed if only its own authority vouches for it', async () => {
    expect(await find(`tool@${image.digest}`)).toMatch(/cannot be fetched: .*x509: certificate/);
  });

  it('is believed if the process trusts that authority, as with NODE_EXTRA_CA_CERTS', async () => {
    tls.setDefaultCACertificates([...before, readFileSync(authorityFile, 'utf8')]);
    expect(await find(`tool@${image.digest}`)).toBe('found');
    expect(await find(`tool@sha256:${'ab'.repeat(32)}`)).toMatch(/cannot be fetched: .*manifest/);
    expect(await find('tool:latest')).toContain(
      `Write \`${registry.host}/team/tool:latest@${image.digest}\``,
    );
    expect(registry.requests.filter((path) => path.includes('/blobs/'))).toEqual([]);
  });

  it('gives a token to whoever has the credentials of REGISTRY_AUTH_FILE', async () => {
    registry.intercept = (path, response, { headers }) => {
      if (path.startsWith('/token')) {
        const isKnown = headers.authorization === `Basic ${LOGIN}`;
        response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
        response.end(JSON.stringify(isKnown ? { token: TOKEN } : { errors: [] }));
        return true;
      }
      if (headers.authorization === `Bearer ${TOKEN}`) return false;
      const realm = `Bearer realm="https://${registry.host}/token",service="registry"`;
      response.writeHead(401, { 'www-authenticate': realm }).end('{}');
      return true;
    };
    expect(await find(`tool@${image.digest}`)).toMatch(
      /cannot be fetched: .*(?:unauthorized|401|auth)/i,
    );
    expect(await find(`tool@${image.digest}`, { authFile })).toBe('found');
  });
});
