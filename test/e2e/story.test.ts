import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { parse } from 'yaml';
import { OPTIONAL_PERMISSIONS, PERMISSIONS } from '../../src/github/access/permissions.ts';
import { PUSH } from '../../src/app/receive/pushes.ts';
import { EVENTS } from '../../src/events/index.ts';
import type { Story } from '../../playground/story.ts';
import { fold } from '../../src/session/fold/fold.ts';
import { stateOf } from '../../src/session/state.ts';
import { openStore } from '../../src/store/open.ts';
import { Scene } from './scene.ts';

const exec = promisify(execFile);

describe('a labelled issue', () => {
  let scene: Scene;
  let story: Story;

  beforeAll(async () => {
    scene = await Scene.open({ ownDatabase: true });
    story = await scene.play();
  }, 60_000);
  afterAll(() => scene.close());

  it('becomes one merged pull request from one branch with two commits by the App', async () => {
    expect(await scene.branches()).toEqual(['issuewright/issue-1']);
    expect(scene.pulls()).toHaveLength(1);
    const log = await scene.git('log', '--format=%an, %cn: %s', 'main~1..issuewright/issue-1');
    expect(log.split('\n')).toEqual([
      'issuewright[bot], GitHub: Leave out the hours of a whole number of days',
      'issuewright[bot], GitHub: Count long durations in days',
    ]);
    const parents = await scene.git('log', '-1', '--format=%P', story.mergeCommit);
    expect(parents.split(' ')).toHaveLength(2);
  });

  it('changes the files that it had to, and no other', async () => {
    const changed = await scene.git('diff', '--name-status', 'main~1', 'main');
    expect(changed.split('\n')).toEqual([
      'M\tREADME.md',
      'M\tsrc/format.js',
      'M\tsrc/units.js',
      'A\ttest/days.test.js',
    ]);
    expect(await scene.git('fsck', '--strict')).toBe('');
  });

  it('leaves a repository whose own tests pass', async () => {
    const clone = path.join(scene.directory, 'clone');
    await exec('git', ['clone', '-q', scene.repository.git.directory, clone]);
    await expect(exec(process.execPath, ['--test'], { cwd: clone })).resolves.toBeDefined();
  });

  it('gets 👀 and 🚀, one status comment and one question, and no other comment', () => {
    const keys = scene
      .comments(story.issue)
      .map(({ body }) => /:([a-z]+)[^:]* -->$/.exec(body)?.[1]);
    expect(scene.comments(story.issue)).toHaveLength(2);
    expect(keys).toContain('status');
    expect(story.issue.reactions).toMatchObject([
      { content: 'eyes', user: { type: 'Bot' } },
      { content: 'rocket', user: { type: 'Bot' } },
    ]);
  });

  it('is closed by the merge, and the status comment says so', () => {
    expect(story.issue.state).toBe('closed');
    const [status] = scene.comments(story.issue).filter(({ body }) => body.includes(':status -->'));
    expect(status?.body.split('\n')[0]).toMatch(/merged/i);
  });

  it('has a pull request that keeps what was observed apart from what the agent says', () => {
    const { body } = story.pull;
    expect(body).toContain('Closes #1');
    expect(body).toMatch(/observed/i);
    expect(body).toMatch(/agent says/i);
    expect(body).toContain('test/days.test.js');
  });

  it('used exactly the permissions of app.yml that cannot be left out, and knows its events', async () => {
    const manifest = parse(await readFile('app.yml', 'utf8')) as {
      default_permissions: Record<string, string>;
      default_events: string[];
    };
    const used = new Map<string, string>();
    for (const permission of scene.github.usedPermissions) {
      const [name = '', level = ''] = permission.split(':');
      if (used.get(name) !== 'write') used.set(name, level);
    }
    expect(manifest.default_permissions).toEqual({
      ...OPTIONAL_PERMISSIONS,
      ...Object.fromEntries(used),
    });
    expect(Object.fromEntries(used)).toEqual(PERMISSIONS);
    const events = new Set([...EVENTS.map(({ name }) => name.split('.')[0]), PUSH]);
    expect(new Set(manifest.default_events)).toEqual(events);
  });

  it('had every delivery answered with a 2xx', () => {
    const statuses = scene.github.deliveries.map(({ status }) => status);
    expect(statuses.length).toBeGreaterThan(8);
    expect(statuses.every((status) => status !== undefined && status >= 200 && status < 300)).toBe(
      true,
    );
  });

  it('logs where each run began and how it ended', () => {
    const lines = scene.stage
      .log()
      .split('\n')
      .filter((line) => /"run (?:started|ended)"/.test(line));
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          msg: 'run started',
          repository: 'example/pocket-duration',
          issue: 1,
          run: 1,
        }),
        expect.objectContaining({ msg: 'run ended', run: 1, end: { kind: 'asked' }, dollars: 0 }),
      ]),
    );
  });

  it('leaves no token and no key in the log or in what was published', () => {
    const published = scene.repository.comments.map(({ body }) => body).join('\n');
    const everything = scene.stage.log() + published + String(story.pull.body);
    expect(everything).not.toMatch(/ghs_\w{5}|sk-no-key|BEGIN [A-Z ]*PRIVATE KEY/);
    expect(everything).not.toContain(scene.stage.webhookSecret);
  });

  it('ends with 0 on SIGTERM, and its rows are what its journal says', async () => {
    expect(await scene.stop()).toBe(0);
    const log = pino({ level: 'silent' });
    const store = await openStore({ dataDir: path.join(scene.directory, 'data'), log });
    try {
      const [row, ...others] = await store.sessions({ limit: 10 });
      expect(others).toEqual([]);
      const session = fold(await store.journal(row?.id ?? ''));
      expect(row).toMatchObject({
        installation: session.thread.installation,
        repository: session.thread.repository,
        issue: session.thread.issue,
        pullRequest: session.thread.pullRequest?.number,
        state: stateOf(session),
        lastSeq: session.seq,
        publishedSeq: session.seq,
        claim: null,
      });
      expect(stateOf(session)).toBe('done');
    } finally {
      await store.close();
    }
  });
});
