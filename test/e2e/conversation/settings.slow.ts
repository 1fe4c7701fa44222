// The settings of a repository and of its owner, through the shipped service.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const FILE = '.github/issuewright.yml';
const OWNERS = 'label: our-agent\nlimits: {turns: 9}\npaths: {deny: ["*.pem"]}\n';
const OWN = 'language: Latin\ndraft: perhaps\ncolour: red\n';

const SCRIPT: Script = {
  turns: [
    say(call('write_file', { path: 'key.pem', content: 'Clavis\n' })),
    say(call('write_file', { path: 'LEGE.md', content: 'Salve\n' })),
    say(call('finish', { summary: 'Scriptum est.' })),
  ],
};

describe('settings', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ scripts: [SCRIPT], files: { ...SAMPLE.files, [FILE]: OWN } });
    await scene.github.createRepository({
      owner: SAMPLE.owner,
      name: '.github',
      files: { [FILE]: OWNERS },
      collaborators: {},
    });
  });
  afterAll(() => scene.close());

  const ask = (title: string): Issue => {
    const issue = scene.maintainer.openIssue(scene.repository, { title, body: '' });
    scene.maintainer.label(scene.thread(issue), 'our-agent');
    return issue;
  };

  it('of the owner and the repository apply together, and a harmless fault is reported while the work continues', async () => {
    const issue = ask('Write a greeting');
    await scene.untilStatus(issue, /ready for review|done/i);
    await scene.untilSaid(
      issue,
      /`\.github\/issuewright\.yml`, line 2: `draft` must be `true` or `false`; the default is used/,
    );
    await scene.untilSaid(
      issue,
      /`\.github\/issuewright\.yml`, line 3: `colour` is not a setting; ignored/,
    );
    const [request] = scene.agentRequests;
    expect(JSON.stringify(request)).toContain('whatever language they use: Latin.');
    const [branch = ''] = await scene.branches();
    const files = await scene.git('ls-tree', '-r', '--name-only', branch);
    expect(files).toContain('LEGE.md');
    expect(files).not.toContain('key.pem');
  });

  it('with a fault that may hide a stricter setting start no run, and say where it is', async () => {
    const before = scene.agentRequests.length;
    await scene.maintainer.push(scene.repository, {
      branch: 'main',
      files: { [FILE]: 'language: Latin\npaths:\n  denied: [secrets/]\n' },
      message: 'Close the secrets',
    });
    const issue = ask('Write another greeting');
    await scene.untilStatus(issue, /failed/i);
    await scene.untilSaid(issue, /line 3: `paths\.denied` is not a setting/);
    expect(scene.agentRequests).toHaveLength(before);
  });

  it("of the owner's repository were asked for once", () => {
    const contents = `/repos/${SAMPLE.owner}/.github/contents/`;
    const asked = scene.github.requests
      .filter(({ path }) => path.includes(contents))
      .map(({ path }) => decodeURIComponent(path.slice(path.indexOf(contents) + contents.length)));
    // Whether there is such a file is seen in the list of its directory.
    expect(asked).toEqual(['.github', FILE]);
  });
});
