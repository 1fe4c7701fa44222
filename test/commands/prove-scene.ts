// A local GitHub with an empty repository, the App on it, a person with a token, and `issuewright prove`.
import path from 'node:path';
import { mergeSettings } from '../../packages/local-github/src/github/payloads/repository.ts';
import type { Repository } from '../../packages/local-github/src/github/state.ts';
import {
  EVENTS,
  PERMISSIONS,
  startLocalGitHub,
  type LocalGitHub,
} from '../../packages/local-github/src/github/local-github.ts';
import { freePort } from '../../packages/local-github/src/free-port.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { runProgram, type Ended } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

export const OWNER = 'acme-works';
const PERSON = 'ada-example';
const ACCOUNT = 'agent-of-acme';
const TOKEN = `user_${PERSON}`;
const SECRET = 'q7Zr2Vx9Lm4Tn8Ks3Wd6';
const SLUG = 'wright-of-acme';

export class ProveScene {
  readonly github: LocalGitHub;
  readonly directory = temporaryDirectory();
  readonly environment: Readonly<Record<string, string>>;

  private constructor(github: LocalGitHub, environment: Readonly<Record<string, string>>) {
    this.github = github;
    this.environment = environment;
  }

  static async open(): Promise<ProveScene> {
    const port = await freePort();
    const github = await startLocalGitHub({
      directory: path.join(temporaryDirectory(), 'repositories'),
      users: [{ login: PERSON }, { login: ACCOUNT }, { login: 'stranger' }],
      app: {
        id: 1,
        slug: SLUG,
        name: 'Wright',
        privateKeyPem: PRIVATE_KEY,
        webhookSecret: SECRET,
        webhookUrl: `http://127.0.0.1:${port}/api/github/webhooks`,
        permissions: { ...PERMISSIONS, checks: 'write', statuses: 'read', actions: 'read' },
        events: [...EVENTS, 'check_run', 'check_suite', 'status'],
      },
    });
    return new ProveScene(github, {
      PATH: process.env['PATH'] ?? '',
      APP_ID: '1',
      PRIVATE_KEY,
      WEBHOOK_SECRET: SECRET,
      ALLOWED_OWNERS: OWNER,
      GHE_HOST: new URL(github.url).host,
      GHE_PROTOCOL: 'http',
      CONTENT_LIMITS: 'none',
      PORT: String(port),
      PAGES_PORT: String(await freePort()),
      GITHUB_TOKEN: TOKEN,
      ASSIGNEE_LOGIN: ACCOUNT,
    });
  }

  /** Without `files`, it has no commit. */
  create(name: string, files?: Record<string, string>): Promise<Repository> {
    const collaborators = { [PERSON]: 'admin', [ACCOUNT]: 'read', stranger: 'read' } as const;
    const content = files === undefined ? {} : { files };
    return this.github.createRepository({ owner: OWNER, name, collaborators, ...content });
  }

  prove(
    repository: string,
    options: readonly string[] = [],
    changes: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const environment = { ...this.environment, ...changes };
    const { directory } = this;
    return runProgram(['prove', repository, ...options], { environment, directory });
  }

  /** What nobody may read in a report. */
  get privateWords(): readonly string[] {
    return [
      OWNER,
      PERSON,
      ACCOUNT,
      TOKEN,
      SECRET,
      SLUG,
      'ghs_',
      'BEGIN',
      this.environment['GHE_HOST'] ?? '',
    ];
  }

  close(): Promise<void> {
    return this.github.close();
  }
}

/** What a proof left: branches, labels, what is open, the files on the default branch, rules, and the setting for auto-merge. */
export async function remainsOf(repository: Repository) {
  const { git, labels, issues, defaultBranch, rulesets } = repository;
  const head = (await git.head(defaultBranch)) ?? '';
  return {
    branches: [...(await git.branches()).keys()],
    labels: labels.map(({ name }) => name),
    open: issues.filter(({ state }) => state === 'open').length,
    files: (await git.tree(head, true)).map((entry) => entry.path),
    rules: rulesets.map(({ name }) => name),
    mergesByItself: mergeSettings(repository).allow_auto_merge,
  };
}

/** The ids of the beliefs that a proof printed with this mark. */
export const marked = (mark: '✓' | '✗' | '–', { stdout }: Ended): readonly string[] =>
  [...stdout.matchAll(new RegExp(`^${mark} ([\\w-]+): `, 'gm'))].map(([, id = '']) => id);
