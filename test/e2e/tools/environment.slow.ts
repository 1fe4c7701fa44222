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

const DEVCONTAINER = '.devcontainer/devcontainer.json';
const SETTINGS = '.github/issuewright.yml';

const declare = whyNoImages === '' ? describe : describe.skip;
declare(`a repository that brings its own environment ${whyNoImages}`, () => {
  let registry: ImageRegistry;
  let scene: Scene;
  let reference = '';

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
    scene = await Scene.open({
      scripts: [SCRIPT],
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
    expect(statusOf(issue)).toContain(
      '`.devcontainer/devcontainer.json`: not supported, so ignored: `features`',
    );
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
