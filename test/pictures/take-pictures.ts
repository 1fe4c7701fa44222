// Takes the pictures of README.md and the documents: `npm run pictures`, or `npm run pictures story` for some. Plays the demo's story and the
// chapters of the guide on the local GitHub, and looks at its pages. Wants chromium, and fonts
// with emoji and full-width signs (Debian: fonts-noto-color-emoji, fonts-wqy-microhei).
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import { Scene } from '../e2e/scene.ts';
import { imageOf, ImageRegistry, programsLayer } from '../support/oci-image.ts';
import { PROGRAMS } from '../workspace/images/support.ts';
import { Camera } from './camera.ts';
import { CHAPTERS, entryOf, open, pageOf, says, untilSaid } from './chapters.ts';
import { MERGE_CHAPTERS, MERGE_FILES, MERGE_SCRIPTS } from './merge-chapters.ts';
import { manySessions, ownPages } from './page-chapters.ts';
import { IN_AN_IMAGE, IN_PARTS, SCRIPTS, tested } from './scripts.ts';

interface Shown {
  /** What the story tells then. */
  readonly step: RegExp;
  readonly seconds: number;
  readonly caption: string;
  /** A selector of what has to be in view. */
  readonly part?: string;
}

/** What the moving picture shows, in ten seconds with its result. */
const SHOWN: readonly Shown[] = [
  { step: /^labelled/, seconds: 0.9, caption: 'You label an issue' },
  { step: /^the status comment$/, seconds: 0.9, caption: 'A comment says where the work stands' },
  { step: /asks a question/, seconds: 1.3, caption: 'It asks what only you can know' },
  {
    step: /^answered/,
    seconds: 1.1,
    caption: 'You answer in your own words',
    part: 'text=The two largest units',
  },
  { step: /^pull request #/, seconds: 1.1, caption: 'It opens a pull request' },
  {
    step: /asks for a change/,
    seconds: 1.1,
    caption: 'You review it',
    part: 'text=Reads well, thank you',
  },
  {
    step: /^the branch is at/,
    seconds: 0.9,
    caption: 'It does what the review asks for',
    part: '#commits >> text=Leave out the hours',
  },
  { step: /says so$/, seconds: 0.9, caption: 'You merge it, and the issue is closed' },
];
const RESULT = {
  step: /^merged as/,
  seconds: 1.8,
  caption: 'An issue became this merged pull request',
};

/** A model that costs something. */
const PRICED = { MODEL_CATALOG: fileURLToPath(new URL('./prices.json', import.meta.url)) };

async function story(camera: Camera): Promise<void> {
  const scene = await Scene.open({
    ownDatabase: true,
    scripts: [tested(SAMPLE.script)],
    environment: { ...PRICED, ALLOW_DANGEROUS_TOOLS: 'true' },
  });
  try {
    const film = await camera.film('story');
    let page = '';
    const { issue, pull } = await scene.play(async (words, address = page) => {
      page = address;
      if (RESULT.step.test(words)) await film.take(address, { ...RESULT, isFirst: true });
      const at = SHOWN.findIndex(({ step }) => step.test(words));
      const shown = SHOWN[at];
      if (shown === undefined) return;
      await film.take(address, { ...shown, caption: `${at + 1}. ${shown.caption}` });
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

/** Commands in a container image that the repository names, from a registry on this machine. */
async function environment(camera: Camera): Promise<void> {
  const registry = await ImageRegistry.start();
  const image = registry.add(
    'library/node',
    imageOf([programsLayer(PROGRAMS), [{ name: 'opt/VERSION', content: '20.11.0\n' }]]),
  );
  const scene = await Scene.open({
    ownDatabase: true,
    scripts: [IN_AN_IMAGE],
    granted: { checks: 'write', statuses: 'read', actions: 'read' },
    files: { ...SAMPLE.files, '.github/issuewright.yml': `environment: { image: '${image}' }\n` },
    environment: {
      ...PRICED,
      ALLOW_DANGEROUS_TOOLS: 'true',
      ENVIRONMENT_IMAGES: `http://${registry.host}/library/*`,
    },
  });
  try {
    // As root, commands run as other users, who have to get to the image.
    await scene.stop();
    for (const directory of [scene.directory, path.join(scene.directory, 'data')])
      await chmod(directory, 0o711);
    await scene.start();
    const issue = scene.ask('Say which Node is used', 'In a file `VERSION`.');
    const status = await untilSaid(scene, issue, /Commands run in the image/);
    await scene.untilStatus(issue, /ready for review/i);
    await camera.parts('using-image', pageOf(scene, issue), entryOf(status));
  } finally {
    await scene.close();
    await registry.close();
  }
}

/** Sub-issues that are proposed, approved, and worked on in their order. */
async function subIssues(camera: Camera): Promise<void> {
  const scene = await Scene.open({
    ownDatabase: true,
    scripts: IN_PARTS,
    granted: { checks: 'write', statuses: 'read', actions: 'read' },
    environment: PRICED,
  });
  try {
    const issue = open(
      scene,
      'Durations in other languages',
      'German, French and Japanese, and a way to add more.',
    );
    says(scene, issue, '/issuewright split');
    const proposal = await untilSaid(scene, issue, /Say where a language comes from/);
    await scene.untilStatus(issue, /waiting for approval/i);
    scene.maintainer.react(proposal, '+1');
    await scene.until('the sub-issues', () => scene.repository.issues.length === 4);
    await scene.untilStatus(issue, /sub-issues/i);
    scene.maintainer.label(scene.thread(issue), SAMPLE.label);
    const status = await untilSaid(scene, issue, /review and merge its pull request/);
    await camera.parts('using-split', pageOf(scene, issue), entryOf(proposal), entryOf(status));
  } finally {
    await scene.close();
  }
}

const PARTS = [ownPages, toTheMerge, guide, environment, subIssues, story];
const { positionals } = parseArgs({ allowPositionals: true });
const camera = await Camera.open();
try {
  for (const take of PARTS)
    if (positionals.length === 0 || positionals.includes(take.name)) await take(camera);
} finally {
  await camera.close();
}
