// A repository that brings the programs for its commands: from its settings to the pull request, with two crashes.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { imageOf, ImageRegistry, programsLayer } from '../../support/oci-image.ts';
import { PROGRAMS, whyNoImages } from '../../workspace/images/support.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const SCRIPT: Script = {
  turns: [
    say(call('bash', { command: 'cat /opt/VERSION prepared; echo $APP_ENV; id -un' })),
    say(call('bash', { command: 'cat /opt/VERSION > VERSION' })),
    say(call('commit', { message: 'Say the version' })),
    say(call('create_pull_request', { title: 'Say the version', body: 'It is seven.' })),
    say(call('finish', { summary: 'The version is seven.' })),
  ],
};

/** Says in which environment it runs. */
const LOOK: Script = {
  match: 'Look around',
  turns: [
    say(call('bash', { command: 'cat /opt/VERSION prepared; echo $APP_ENV; echo $NODE_OPTIONS' })),
    say(call('finish', { summary: 'It was looked at.' })),
  ],
};

const DEVCONTAINER = '.devcontainer/devcontainer.json';
const SETTINGS = '.github/issuewright.yml';

const declare = whyNoImages === '' ? describe : describe.skip;
declare(`a repository that brings its own environment ${whyNoImages}`, () => {
  let registry: ImageRegistry;
  let scene: Scene;
  let reference = '';
  let hostile = '';

  const commit = (files: Record<string, string>) =>
    scene.maintainer.push(scene.repository, { branch: 'main', message: 'Settings', files });
  const statusOf = (issue: Issue): string =>
    scene.comments(issue).find(({ body }) => body.includes(':status -->'))?.body ?? '';
  const logged = (event: string): number => scene.stage.log().split(event).length - 1;

  beforeAll(async () => {
    registry = await ImageRegistry.start();
    reference = registry.add(
      'team/tool',
      imageOf([
        programsLayer(PROGRAMS),
        [
          { name: 'opt', type: 'directory' },
          { name: 'opt/VERSION', content: 'seven\n' },
          { name: 'big', content: Buffer.alloc(2 ** 23) },
        ],
      ]),
    );
    const other = imageOf([programsLayer(PROGRAMS), [{ name: 'opt/VERSION', content: 'evil\n' }]]);
    hostile = registry.add('team/hostile', other);
    scene = await Scene.open({
      scripts: [LOOK, SCRIPT],
      people: ['ann'],
      ownDatabase: true,
      files: {
        'README.md': '# Tool\n',
        '.gitignore': 'prepared\n',
        [SETTINGS]: 'environment: { devcontainer: true }\n',
        [DEVCONTAINER]: `{ // ours\n "image": "${reference}", "features": { "a/b:1": {} },
          "postCreateCommand": ["sh", "-c", "echo 'was prepared' > prepared"], "containerEnv": { "APP_ENV": "test" } }`,
      },
      environment: {
        ALLOW_DANGEROUS_TOOLS: 'true',
        ENVIRONMENT_IMAGES: `http://${registry.host}/team/*`,
      },
    });
    // As root, commands run as other users, who have to get to the images.
    await scene.stop();
    for (const path of [scene.directory, join(scene.directory, 'data')]) await chmod(path, 0o711);
    await scene.start();
  });
  afterAll(async () => {
    await scene?.closeReplayed();
    await registry.close();
  });

  it('gets its pull request, although the service was killed during the download and while it unpacked', async () => {
    const asked = new Promise<void>((resolve) => {
      registry.intercept = (path) => {
        if (path.includes('/blobs/')) resolve();
        return path.includes('/blobs/');
      };
    });
    const issue = scene.ask('Say the version', 'In a file.');
    await asked;
    await scene.untilStatus(issue, /Fetching the image \S+\/team\/tool/);
    await scene.kill();
    registry.intercept = () => false;
    await scene.start();
    await scene.until('the unpacking', () => logged('unpacking an image') > 0);
    await scene.kill();
    await scene.start();
    await scene.untilStatus(issue, /ready for review/i);
    expect(await scene.git('show', 'issuewright/issue-1:VERSION')).toBe('seven');
    expect(await scene.git('ls-tree', '-r', '--name-only', 'issuewright/issue-1')).not.toContain(
      'prepared',
    );
    const { messages, tools } = JSON.parse(String(scene.agentRequests.at(-1)?.body));
    expect(JSON.stringify(messages)).toContain(String.raw`seven\nwas prepared\ntest\nagent`);
    const described = JSON.stringify(tools);
    expect(described).toContain(`those of the image ${registry.host}/team/tool.`);
    expect(statusOf(issue)).toMatch(
      /Commands run in the image `\S+\/team\/tool` \(`sha256:[\da-f]{12}`\), fetched and unpacked in /,
    );
    expect(statusOf(issue)).toContain(
      '`.devcontainer/devcontainer.json`: not supported, so ignored: `features`',
    );
  });

  const hostileFiles = () => ({
    [SETTINGS]: `environment: { image: '${hostile}' }\nsetup: echo evil > prepared\n`,
    [DEVCONTAINER]: JSON.stringify({
      image: hostile,
      postCreateCommand: 'echo evil > prepared',
      containerEnv: { APP_ENV: 'evil', NODE_OPTIONS: '--require=/evil.js' },
    }),
  });
  /** What the tools of the last session answered. */
  const seen = (): string => {
    const { messages } = JSON.parse(String(scene.agentRequests.at(-1)?.body)) as {
      readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    };
    const answers = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    return answers.map(String).join('\n');
  };
  const wasDefault = (): void => {
    expect(seen()).toContain('seven\nwas prepared\ntest');
    expect(seen()).not.toContain('evil');
    expect(registry.requests.filter((path) => path.includes('team/hostile'))).toEqual([]);
  };

  it('is that of the default branch on a pull request that brings another one', async () => {
    const branch = 'another-environment';
    await scene.maintainer.push(scene.repository, {
      branch,
      message: 'Mine',
      files: hostileFiles(),
    });
    const text = { title: 'Another environment', body: 'Please.', head: branch, base: 'main' };
    const pull = await scene.maintainer.openPull(scene.repository, text);
    scene.maintainer.comment(scene.thread(pull), '@issuewright Look around.');
    await scene.until('the answer', () =>
      scene.comments(pull).some(({ body }) => body.includes('It was looked at')),
    );
    wasDefault();
  });

  it('is none on a pull request from a fork that brings another one', async () => {
    const ann = scene.github.as('ann');
    const fork = await ann.fork(scene.repository);
    const branch = 'theirs';
    await ann.push(fork, { branch, files: hostileFiles(), message: 'Mine' });
    const text = { title: 'From a fork', body: 'Please.', head: `ann:${branch}`, base: 'main' };
    const pull = await ann.openPull(scene.repository, text);
    scene.maintainer.comment(scene.thread(pull), '@issuewright Look around.');
    await scene.until('the answer', () =>
      scene.comments(pull).some(({ body }) => body.includes('It was looked at')),
    );
    expect(seen()).not.toMatch(/seven|evil/);
    expect(registry.requests.filter((path) => path.includes('team/hostile'))).toEqual([]);
  });

  it('is that of the default branch for an issue whose base is a branch with another one', async () => {
    const branch = 'release';
    await scene.maintainer.push(scene.repository, {
      branch,
      message: 'Old',
      files: hostileFiles(),
    });
    await commit({ [SETTINGS]: 'environment: { devcontainer: true }\nbase: release\n' });
    const issue = scene.ask('Look around', 'On the base.');
    await scene.until('the answer', () =>
      scene.comments(issue).some(({ body }) => body.includes('It was looked at')),
    );
    wasDefault();
  });

  it.each([
    [
      'has no digest',
      () => ({ [SETTINGS]: `environment: { image: '${registry.host}/team/tool:latest' }\n` }),
      /has no digest.* Write .*team\/tool:latest@sha256:[\da-f]{64}/,
    ],
    [
      'is not allowed',
      () => ({ [SETTINGS]: `environment: { image: '${reference.replace('team', 'others')}' }\n` }),
      /does not allow the image .*ENVIRONMENT_IMAGES/,
    ],
    [
      'has to be built first',
      () => ({
        [SETTINGS]: 'environment: { devcontainer: true }\n',
        [DEVCONTAINER]: '{ "build": { "dockerfile": "Dockerfile" } }',
      }),
      /has `build`, and Issuewright does not build images/,
    ],
  ])('says on the issue why an image that %s is not used', async (_why, files, words) => {
    await commit(files());
    const issue = scene.ask('Say the version again', 'In a file.');
    await scene.untilSaid(issue, words);
    expect(statusOf(issue)).toMatch(/failed/i);
  });
});
