// Repositories of their own for tests in which GitHub denies something.
import { afterAll, beforeAll } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { ExtraRepository } from '../extra-repository.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = (path: string) => say(call('write_file', { path, content: 'Notes\n' }));
const commit = say(call('commit', { message: 'Add notes' }));
const finish = (outcome: string) => say(call('finish', { summary: 'Notes are there.', outcome }));

const SCRIPTS: Script[] = [
  {
    match: 'Write slowly',
    turns: [write('NOTES.md'), { ...commit, delay_ms: 300 }, finish('done'), finish('done')],
  },
  { match: 'Write notes', turns: [write('NOTES.md'), commit, finish('done'), finish('done')] },
  {
    match: 'Write a workflow',
    turns: [write('.github/workflows/ci.yml'), write('NOTES.md'), commit, finish('done')],
  },
  { match: 'Nothing', turns: [finish('nothing_to_do')] },
  {
    match: 'Ask first',
    turns: [say(call('ask_question', { question: 'Which notes?' })), finish('nothing_to_do')],
  },
];

export const ALL = {
  metadata: 'read',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
} as const;

export let scene: Scene;
let installation = 20;

beforeAll(async () => {
  scene = await Scene.open({ scripts: SCRIPTS });
});
afterAll(() => scene.close());

export const place = (name: string, files?: Record<string, string>): Promise<ExtraRepository> =>
  ExtraRepository.open(scene, name, (installation += 1), files);
export const modelRequests = (): number => scene.agentRequests.length;

/** Another issue, from its label to its end: time enough for a storm elsewhere. */
export async function meanwhile(): Promise<void> {
  const issue = scene.ask('Nothing', 'meanwhile');
  await scene.untilStatus(issue, /nothing to change/i);
  await scene.until('the outcome', () => scene.comments(issue).length === 2);
}
