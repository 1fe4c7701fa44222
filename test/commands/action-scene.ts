// The scripts of the GitHub Action as a runner runs them, with the environment of an event, on the local GitHub.
import { cpSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import type { Issue } from '../../packages/local-github/src/github/state.ts';
import { ByHandScene } from './by-hand-scene.ts';
import { readAction, runAction, type HowToRun, type Ran } from '../support/action-runner.ts';
import { documentedWorkflows } from '../support/documents/workflows.ts';
import { nativeGit } from '../support/git-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const action = readAction();
export let scene: ByHandScene;
beforeEach(async () => {
  scene = await ByHandScene.open();
});
afterEach(() => scene.close());

export const git = (...words: string[]): string =>
  nativeGit(scene.repository.git.directory, ...words);

/** The token of a workflow that grants what the document tells people to grant. */
function tokenOfWorkflow(): string {
  const [permissions = {}] = documentedWorkflows().flatMap(({ jobs }) =>
    Object.values(jobs).map((job) => job.permissions),
  );
  const named = Object.entries(permissions).map(([name, level]) => [
    name.replaceAll('-', '_'),
    level,
  ]);
  return scene.github.installations.token(1, Object.fromEntries(named));
}

/** How npm reaches its registry here. Another user of the machine may not know, so no circumstance tries the install. */
const MACHINE = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value = '']) =>
    /^(?:HOME|NODE_EXTRA_CA_CERTS|npm_config_\w+|https?_proxy|no_proxy)$/i.test(name)
      ? [[name, value]]
      : [],
  ),
);

interface Event {
  readonly issue?: Issue;
  /** What the runner keeps of it, by default the issue as it is now. */
  readonly event?: Readonly<Record<string, unknown>>;
  readonly actor?: string;
  readonly with?: Record<string, string>;
}

/** The event of a label that was just added. */
export async function eventAbout({ number }: Issue): Promise<Record<string, unknown>> {
  const repository = `${scene.github.url}/api/v3/repos/${scene.repository.fullName}`;
  const headers = { authorization: 'Bearer user_ada' };
  const read = async (address: string) => (await fetch(address, { headers })).json();
  const issue: unknown = await read(`${repository}/issues/${number}`);
  return { action: 'labeled', issue, repository: await read(repository) };
}

/** The step in a job that this event started. */
export async function runOn(
  { issue, event, actor = 'ada', with: given = {} }: Event,
  turns: Script['turns'],
  more: Partial<HowToRun> = {},
): Promise<Ran> {
  const { MODEL, OPENAI_API_KEY, GITHUB_TOKEN, GHE_HOST, GHE_PROTOCOL, ...environment } =
    await scene.environment([{ turns }]);
  expect([MODEL, OPENAI_API_KEY, GITHUB_TOKEN, GHE_HOST, GHE_PROTOCOL]).not.toContain(undefined);
  const github = {
    token: tokenOfWorkflow(),
    event: event ?? (issue === undefined ? {} : await eventAbout(issue)),
  };
  return runAction(action, {
    with: { model: MODEL ?? '', 'openai-api-key': 'none', ...given },
    github,
    checkout: process.cwd(),
    environment: {
      ...MACHINE,
      ...environment,
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_SERVER_URL: scene.github.url,
      GITHUB_REPOSITORY: scene.repository.fullName,
      GITHUB_ACTOR: actor,
      GITHUB_ACTOR_ID: String(scene.github.as(actor).user.id),
    },
    only: ['Run'],
    ...more,
  });
}

/** What the action needs of its own repository, in a directory of its own. Not every copy of this checkout has a repository. */
export function download(): string {
  const checkout = path.join(temporaryDirectory(), 'an action');
  for (const name of ['bin', 'src', 'packages', 'package.json', 'package-lock.json', '.npmrc'])
    cpSync(name, path.join(checkout, name), { recursive: true });
  return checkout;
}
