// Pictures of our own pages: of setup, of a session as its maintainer sees it on a phone, and of many sessions.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import { Scene } from '../e2e/scene.ts';
import type { Camera } from './camera.ts';
import type { Chapter } from './chapters.ts';

const MERGED = 4;

/** `issuewright setup`, which waits for a click. */
const setup: Chapter = async ({ github }, camera) => {
  const directory = mkdtempSync(path.join(tmpdir(), 'setup-picture-'));
  const words = ['setup', '--url', 'https://issuewright.example.com'];
  const program = spawn(process.execPath, [path.resolve('bin/issuewright.js'), ...words], {
    cwd: directory,
    env: {
      PATH: process.env['PATH'],
      GHE_HOST: new URL(github.url).host,
      GHE_PROTOCOL: 'http',
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(program, 'exit');
  try {
    let said = '';
    for await (const chunk of program.stdout) {
      said += String(chunk);
      const [link] = /http:\S+token=\S+/.exec(said) ?? [];
      if (link === undefined) continue;
      await camera.page('setup', link, 200);
      break;
    }
  } finally {
    program.kill('SIGINT');
    await ended;
    rmSync(directory, { recursive: true });
  }
};

/** A question and its form, for someone who may answer. */
const onAPhone: Chapter = async (scene, camera) => {
  const status = await scene.untilStatus(scene.ask(), /answer/i);
  const session = /\/sessions\/\w+/.exec(status.body)?.[0] ?? '';
  await camera.phone('session-phone', `${scene.stage.pagesUrl}${session}`, async (page) => {
    await page.getByRole('link', { name: 'Sign in with GitHub' }).click();
    await page.getByLabel('Acting person').selectOption(SAMPLE.maintainer);
    await page.getByRole('button', { name: 'Authorize Issuewright' }).click();
    await page.getByLabel('Your answer').waitFor();
  });
};

/** They want a service with a sign-in, and no session before. */
export async function ownPages(camera: Camera): Promise<void> {
  const scene = await Scene.open({ ownDatabase: true, hasSignIn: true });
  try {
    await setup(scene, camera);
    await onAPhone(scene, camera);
  } finally {
    await scene.close();
  }
}

/** After the sessions of other chapters. A few of their pull requests are merged first. */
export const manySessions: Chapter = async (scene, camera) => {
  const { repository, stage } = scene;
  for (const { number, pull } of scene.pulls().slice(0, MERGED)) {
    await scene.maintainer.merge({ repository, number });
    const issue = repository.issues.find((one) => pull.head === `issuewright/issue-${one.number}`);
    if (issue === undefined) throw new Error(`${pull.head} is the branch of no issue`);
    await scene.untilStatus(issue, /merged/i);
  }
  await camera.visit(stage.pagesLink);
  await camera.page('sessions', `${stage.pagesUrl}/sessions`, 720);
  await camera.page('totals', `${stage.pagesUrl}/totals`, 640);
};
