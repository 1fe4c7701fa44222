// A repository whose rules require signatures: GitHub makes the commits, once, whatever happens to the service.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const SCRIPT: Script = {
  match: 'Write notes',
  turns: [
    say(call('write_file', { path: 'NOTES.md', content: 'Notes\n' })),
    say(call('commit', { message: 'Add notes' })),
    say(call('write_file', { path: 'src/more.md', content: 'More\n' })),
    say(call('finish', { summary: 'Notes are there.' })),
    say(call('finish', { summary: 'Notes are there.' })),
  ],
};

const BRANCH = 'issuewright/issue-1';

let scene: Scene | undefined;
afterEach(() => scene?.close());

async function open(settings = '', ownDatabase = false): Promise<Scene> {
  const opened = await Scene.open({
    scripts: [SCRIPT],
    files: {
      'README.md': '# Sample\n',
      ...(settings === '' ? {} : { '.github/issuewright.yml': settings }),
    },
    ownDatabase,
  });
  scene = opened;
  opened.maintainer.addRuleset(opened.repository, {
    name: 'Signed and never rewritten',
    enforcement: 'active',
    conditions: { ref_name: { include: ['refs/heads/issuewright/**'], exclude: [] } },
    rules: [{ type: 'required_signatures' }, { type: 'non_fast_forward' }],
  });
  return opened;
}

/** Committer, subject and co-author of each commit of the branch. */
const commits = async (here: Scene): Promise<string[]> => {
  const format = '%cn: %s (%(trailers:key=Co-authored-by,valueonly,separator=;))';
  const log = await here.git('log', '--reverse', `--format=${format}`, `main..${BRANCH}`);
  return log.split('\n');
};

const EXPECTED = [
  expect.stringMatching(/^GitHub: Add notes \(octo-maintainer <\d+\+octo-maintainer@/),
  expect.stringMatching(/^GitHub: Notes are there\. \(octo-maintainer </),
];

describe('a rule that requires signatures', () => {
  it('is met: the commits are verified, in the name of the App and of the person who asked', async () => {
    const here = await open();
    await here.untilStatus(here.ask('Write notes'), /ready for review/i);
    expect(await commits(here)).toEqual(EXPECTED);
    const head = await here.git('rev-parse', BRANCH);
    const page = await fetch(`${here.github.url}/${here.repository.fullName}/commit/${head}`);
    expect(await page.text()).toContain('Verified');
    expect(await here.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(here.github.requests.filter(({ path }) => /git-receive-pack/.test(path))).toEqual([]);
  });

  it('denies a push, in words that name the setting, and the work is kept until that is changed', async () => {
    const here = await open('commits:\n  publish: push\n');
    const issue = here.ask('Write notes');
    await here.untilStatus(issue, /failed/i);
    await here.untilSaid(
      issue,
      /A repository rule requires verified signatures\. The setting `commits\.publish` is `push`.* set it to `auto`/,
    );
    await here.maintainer.push(here.repository, {
      branch: 'main',
      files: { '.github/issuewright.yml': 'commits:\n  publish: auto\n' },
      message: 'Let GitHub sign',
    });
    here.maintainer.comment(here.thread(issue), '/issuewright retry');
    await here.untilStatus(issue, /ready for review/i);
    expect((await commits(here)).at(-1)).toMatch(/^GitHub: /);
  });
});

describe('kill -9 of the service, and a start', () => {
  it.each([
    ['when the commit was made and the branch not moved', 'POST', /git\/commits$/],
    ['when the branch was made and that was not journaled', 'POST', /git\/refs$/],
    ['when the branch was moved and that was not journaled', 'PATCH', /git\/refs\/heads/],
  ] as const)(
    '%s: each change is committed once',
    async (_moment, method, path) => {
      const here = await open('', true);
      const held = here.github.faults.hold({ method, path });
      const issue = here.ask('Write notes');
      await held.applied;
      await here.kill();
      await here.start();
      await here.untilStatus(issue, /ready for review/i);
      expect(await commits(here)).toEqual(EXPECTED);
      expect(here.pulls()).toHaveLength(1);
      expect(await here.git('fsck', '--strict', '--no-dangling')).toBe('');
    },
    300_000,
  );
});
