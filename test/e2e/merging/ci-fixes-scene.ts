// Repositories of their own, each with what its CI does with a push.
import { afterAll, beforeAll } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue, PullRequest } from '../../../packages/local-github/src/github/state.ts';
import { failsOnTodo } from './ci-script.ts';
import { ExtraRepository } from '../extra-repository.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = (content: string) => say(call('write_file', { path: 'src/greet.js', content }));
const commit = say(call('commit', { message: 'Greet' }));
const finish = say(call('finish', { summary: 'Greets.' }));

/** A first version that CI does not like, and what the agent does when it is told. */
const story = (match: string, ...fixes: readonly (readonly string[])[]): Script => ({
  match,
  turns: [
    write('// TODO\n'),
    commit,
    finish,
    ...fixes.flatMap(([content = '', ...told]) => [
      { ...write(content), when: ['# Checks failed on commit', ...told].join('[^]*') },
      commit,
      finish,
    ]),
  ],
});

const GOOD = 'export const greet = () => 1;\n';
const SCRIPTS: readonly Script[] = [
  story('Ask first', [GOOD, '> not ok 1 - greets by name']),
  story('By itself', ['// TODO: later\n'], [GOOD]),
  story('In vain', ['// TODO: not yet\n']),
  story('Three times', ['// TODO 1\n'], ['// TODO 2\n'], ['// TODO 3\n']),
  story('Command', [GOOD]),
  story('Base', [GOOD]),
  story('Blind', [GOOD]),
  story('Half blind', [GOOD]),
  story('No logs', [GOOD, 'Process completed with exit code 1']),
  story('Service', [GOOD, 'ci/other', 'The build broke']),
  story('Runner', [GOOD]),
  story('Twice', [GOOD]),
  story('Stranger', [GOOD]),
  story('Off', [GOOD]),
];

const GRANTED = { checks: 'write', statuses: 'read', actions: 'read' } as const;

export const NOT_OK = 'not ok 1 - greets by name';
const settings = (yaml: string) => ({ '.github/issuewright.yml': yaml });

export let scene: Scene;
let installation = 40;

beforeAll(async () => {
  scene = await Scene.open({ scripts: [...SCRIPTS], granted: GRANTED, people: ['other'] });
});
afterAll(() => scene.close());

/** A repository of its own, with what its CI does with each push. */
export async function place(name: string, yaml: string, ...lines: readonly string[]) {
  const here = await ExtraRepository.open(scene, name, (installation += 1), settings(yaml));
  if (lines.length > 0) scene.github.ci(here.repository).script(...lines.map(failsOnTodo));
  return here;
}

export const pullOf = (here: ExtraRepository): PullRequest => {
  const [pull] = here.pulls();
  if (pull === undefined) throw new Error('there is no pull request');
  return pull;
};

/** What the App wrote on the pull request. */
export const onPull = (here: ExtraRepository): readonly string[] =>
  here.repository.comments
    .filter(
      ({ author, issueNumber }) => author.type === 'Bot' && issueNumber === here.pulls()[0]?.number,
    )
    .map(({ body }) => body);

export const untilOnPull = (here: ExtraRepository, words: RegExp): Promise<string> =>
  scene.until(`a comment with ${String(words)}`, () =>
    onPull(here).find((body) => words.test(body)),
  );

export const untilInStatus = (here: ExtraRepository, issue: Issue, words: RegExp): Promise<true> =>
  scene.until(`the status with ${String(words)}`, () => words.test(here.status(issue)));

export const untilOnPage = (here: ExtraRepository, issue: Issue, words: RegExp): Promise<true> =>
  scene.until(`the page with ${String(words)}`, async () => words.test(await here.page(issue)));

export const commitsOf = async (here: ExtraRepository): Promise<number> => {
  const { head } = pullOf(here).pull;
  return Number(await scene.gitIn(here.repository, 'rev-list', '--count', `main..${head}`));
};

export function react(here: ExtraRepository, login: string, words: RegExp): void {
  const found = here.repository.comments.find(
    ({ body, author }) => author.type === 'Bot' && words.test(body),
  );
  if (found === undefined) throw new Error(`there is no comment with ${String(words)}`);
  scene.github.as(login).react(found, '+1');
}

export function grantAllBut(here: ExtraRepository, lacking: keyof typeof GRANTED): void {
  const { [lacking]: _lacking, ...rest } = GRANTED;
  scene.github.installations.grant(here.installation, {
    metadata: 'read',
    contents: 'write',
    issues: 'write',
    pull_requests: 'write',
    ...rest,
  });
}
