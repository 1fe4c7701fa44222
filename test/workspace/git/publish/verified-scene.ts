// A workspace whose commits go to a local GitHub, which makes and signs them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import nock from 'nock';
import { pino } from 'pino';
import { startLocalGitHub, type LocalGitHub } from '../../../../packages/local-github/src/index.ts';
import type { Repository } from '../../../../packages/local-github/src/github/state.ts';
import { createGitHub } from '../../../../src/github/index.ts';
import type { GitHubRepository } from '../../../../src/github/repository.ts';
import { createRedactor } from '../../../../src/lib/text/redact.ts';
import { GitThreads } from '../../../../src/workspace/git/threads.ts';
import type { PublishOptions } from '../../../../src/workspace/git/publish/publish.ts';
import { GIT } from '../../support.ts';
import {
  openWorkspace,
  type Workspace,
  type WorkspaceOptions,
} from '../../../../src/workspace/workspace.ts';
import { nativeGit } from '../../../support/git-server.ts';
import { PRIVATE_KEY } from '../../../support/private-key.ts';

const APP = { id: 4242, slug: 'issuewright', name: 'Issuewright', privateKeyPem: PRIVATE_KEY };
const webhookSecret = 'a secret of these tests';
const log = pino({ level: 'silent' });

export type SceneWorkspace = Partial<PublishOptions> &
  Partial<Pick<WorkspaceOptions, 'baseCommit' | 'newestBase' | 'merge' | 'sparse'>>;

export class VerifiedScene {
  readonly github: LocalGitHub;
  readonly #directory: string;
  readonly #threads = new GitThreads();
  #count = 0;

  private constructor(directory: string, github: LocalGitHub) {
    this.#directory = directory;
    this.github = github;
  }

  static async open(): Promise<VerifiedScene> {
    nock.restore();
    const directory = await mkdtemp(path.join(tmpdir(), 'verified-test-'));
    const github = await startLocalGitHub({
      directory,
      app: { ...APP, webhookSecret },
      users: [{ login: 'maintainer' }],
    });
    return new VerifiedScene(directory, github);
  }

  repository(files: Record<string, string>): Promise<Repository> {
    this.#count += 1;
    return this.github.createRepository({
      owner: 'example',
      name: `words-${this.#count}`,
      files,
      collaborators: { maintainer: 'admin' },
    });
  }

  /** The repository as a process of the service sees it. */
  client({ id, name }: Repository): GitHubRepository {
    const enterprise = { host: new URL(this.github.url).host, protocol: 'http' };
    const parts = { log, redactor: createRedactor(), enterprise, backoffMs: 1 };
    const app = { appId: APP.id, privateKey: PRIVATE_KEY, webhookSecrets: [webhookSecret] };
    const github = createGitHub({ ...app, ...parts });
    return github.repository(1, { id, owner: 'example', name });
  }

  async workspace(
    repository: Repository,
    branch: string,
    { baseCommit, newestBase, merge, sparse, ...publishing }: SceneWorkspace = {},
  ): Promise<Workspace> {
    const client = this.client(repository);
    return openWorkspace({
      remoteUrl: client.gitUrl,
      credentials: (access, rejected) => client.gitToken(access, rejected),
      baseCommit: baseCommit ?? bare(repository, 'rev-parse', 'main'),
      branch: () => branch,
      author: { name: 'issuewright[bot]', email: 'bot@example.test' },
      publishing: (access) => ({
        strategy: 'auto',
        api: client.verifiedCommits(access),
        mayWrite: () => Promise.resolve(true),
        ...publishing,
      }),
      newestBase,
      merge,
      sparse,
      changes: [],
      git: GIT,
      installation: 1,
      threads: this.#threads,
      signal: new AbortController().signal,
    });
  }

  async close(): Promise<void> {
    await this.#threads.close();
    await this.github.close();
    await rm(this.#directory, { recursive: true });
  }
}

/** Whether GitHub signed it. */
export const isVerified = (repository: Repository, commit: string): boolean =>
  bare(repository, 'cat-file', 'commit', commit).includes('\ngpgsig -----BEGIN PGP SIGNATURE-----');

/** Native git, on the server's repository. */
export const bare = ({ git }: Repository, ...args: string[]): string =>
  nativeGit(git.directory, ...args);
