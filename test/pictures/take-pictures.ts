// Takes the pictures of README.md and the documents: `npm run pictures`. Plays the demo's story and the
// chapters of the guide on the local GitHub, and looks at its pages. Wants chromium, and fonts
// with emoji and full-width signs (Debian: fonts-noto-color-emoji, fonts-wqy-microhei).
import { fileURLToPath } from 'node:url';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import { Scene } from '../e2e/scene.ts';
import { Camera } from './camera.ts';
import { CHAPTERS } from './chapters.ts';
import { MERGE_CHAPTERS, MERGE_FILES, MERGE_SCRIPTS } from './merge-chapters.ts';
import { manySessions, ownPages } from './page-chapters.ts';
import { SCRIPTS } from './scripts.ts';

/** The steps of the story that the moving picture shows, for how many seconds, and what of the page. */
const SHOWN: readonly (readonly [step: RegExp, seconds: number, part?: string])[] = [
  [/^issue #/, 1],
  [/^the status comment$/, 1],
  [/asks a question/, 1.5],
  [/^pull request #/, 1.5],
  [/asks for a change/, 1.5, 'text=Reads well, thank you'],
  [/^the branch is at/, 1, '#merge'],
  [/^merged as/, 1.5],
  [/says so$/, 1],
];
const RESULT = /^merged as/;

/** A model that costs something. */
const PRICED = { MODEL_CATALOG: fileURLToPath(new URL('./prices.json', import.meta.url)) };

async function story(camera: Camera): Promise<void> {
  const scene = await Scene.open({ ownDatabase: true, environment: PRICED });
  try {
    const film = await camera.film('story');
    const { issue, pull } = await scene.play(async (words, address) => {
      const [, seconds, part] = SHOWN.find(([step]) => step.test(words)) ?? [];
      if (seconds !== undefined && address !== undefined)
        await film.take(address, seconds, part, RESULT.test(words));
    });
    await film.end();
    const repository = `${scene.github.url}/${scene.repository.fullName}`;
    const status = scene.comments(issue).find(({ body }) => body.includes(':status -->'));
    const session = /\/sessions\/(\w+)/.exec(status?.body ?? '')?.[1] ?? '';
    await camera.page('issue', `${repository}/issues/${issue.number}`, 1150);
    await camera.page('pull-request', `${repository}/pull/${pull.number}`, 1400);
    await camera.visit(scene.stage.pagesLink);
    await camera.page('session', `${scene.stage.pagesUrl}/sessions/${session}`, 1200);
  } finally {
    await scene.close();
  }
}

async function guide(camera: Camera): Promise<void> {
  const scene = await Scene.open({
    ownDatabase: true,
    scripts: [...SCRIPTS, SAMPLE.script],
    environment: { ...PRICED, CONTENT_LIMITS: 'none' },
  });
  try {
    for (const chapter of [...CHAPTERS, manySessions]) await chapter(scene, camera);
  } finally {
    await scene.close();
  }
}

async function toTheMerge(camera: Camera): Promise<void> {
  const scene = await Scene.open({
    ownDatabase: true,
    scripts: [...MERGE_SCRIPTS, SAMPLE.script],
    files: { ...SAMPLE.files, ...MERGE_FILES },
    people: ['ann', 'ben'],
    granted: { checks: 'write', statuses: 'read', actions: 'read' },
    environment: { ...PRICED, CONTENT_LIMITS: 'none' },
  });
  scene.repository.collaborators.set('ann', 'write');
  try {
    for (const chapter of MERGE_CHAPTERS) await chapter(scene, camera);
  } finally {
    await scene.close();
  }
}

const camera = await Camera.open();
try {
  await ownPages(camera);
  await toTheMerge(camera);
  await guide(camera);
  await story(camera);
} finally {
  await camera.close();
}
