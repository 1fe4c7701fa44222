// A server whose certificate only the operator's own authority vouches for, as an Enterprise Server's often is. Node reads
// NODE_EXTRA_CA_CERTS when it starts, so sessions are processes here.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canCertify, certificatesFor } from '../../support/certificates.ts';
import { startGitServer } from '../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../support/git-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { ENGINES } from './engines.ts';
import { commitOf, SessionProcess } from './session-scene.ts';

const MAX_BYTES = 2 ** 28;

(canCertify ? describe : describe.skip)('a server with a certificate of its own authority', () => {
  let server: GitServer;
  let repository: TestRepository;
  let authority: string;
  beforeAll(async () => {
    const made = certificatesFor('IP:127.0.0.1');
    authority = made.authority;
    server = await startGitServer({ tls: made.tls });
    repository = server.createRepository('octo/https', {});
  });
  afterAll(async () => server.close());

  describe.each(ENGINES)('of the %s engine', (engine) => {
    const session = (commit: string, environment: Readonly<Record<string, string>>) => {
      const directory = temporaryDirectory();
      const cache = { directory: join(directory, 'cache'), maxBytes: MAX_BYTES };
      const git = { engine, maxBytes: MAX_BYTES, cache: engine === 'native' ? cache : undefined };
      const { token } = server;
      const work = { remoteUrl: repository.url, token, commit, branch: `by-${engine}`, git };
      return new SessionProcess(work, { TMPDIR: directory, ...environment });
    };

    it('is worked with if Node is told of the authority', async () => {
      const commit = commitOf(repository, 1);
      const trusting = session(commit, { NODE_EXTRA_CA_CERTS: authority });
      expect(await trusting.worked()).toBe('done');
      await trusting.kill();
      expect(repository.git('diff', '--name-only', commit, `by-${engine}`)).toBe('file-7.txt');
    });

    it('gets no token otherwise, whatever the environment lets git do, and people read why', async () => {
      const asked = server.requests.length;
      const settings = { GIT_SSL_NO_VERIFY: 'true', GIT_SSL_CAINFO: authority };
      const wary = session(commitOf(repository, 2), settings);
      expect(await wary.worked()).toMatch(/^failed: .*certificate/);
      await wary.kill();
      expect(server.requests).toHaveLength(asked);
    });
  });
});
