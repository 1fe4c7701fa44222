import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { parse } from 'yaml';
import { OPTIONAL_PERMISSIONS, PERMISSIONS } from '../../src/github/access/permissions.ts';
import { PUSH } from '../../src/app/receive/receive.ts';
import { EVENTS } from '../../src/events/index.ts';
import type { Story } from '../../packages/local-github/src/story.ts';
import { fold } from '../../src/session/fold/fold.ts';
import { stateOf } from '../../src/session/state.ts';
import { openStore } from '../../src/store/open.ts';
import { talliesOfFile } from '../support/github-schemas/checks-of-file.ts';
import { Scene } from './scene.ts';

const exec = promisify(execFile);
/** Log lines that are about the whole service. */
const OF_THE_SERVICE = new Set([
  'Issuewright is starting',
  'chose the git engine',
  'session pages are ready',
  'Issuewright is ready',
  'authenticated with GitHub',
  // On a slow machine.
  'sweep woke sessions',
]);

describe('a labelled issue', () => {
  let scene: Scene;
  let story: Story;

  beforeAll(async () => {
    scene = await Scene.open({ ownDatabase: true, environment: { LOG_LEVEL: 'debug' } });
    story = await scene.play();
  });
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

  it('has a pull request with a summary, apart from what was checked', () => {
    const { body } = story.pull;
    expect(body).toMatch(/Closes #1\n[^]*\n## Checked by Issuewright\n/);
    expect(body).not.toContain('- added `test/days.test.js`');
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

  it('was compared with what GitHub says of its API, its webhooks and GraphQL', () => {
    const [tally] = talliesOfFile();
    const kinds = (counts: object | undefined): number => Object.keys(counts ?? {}).length;
    expect(kinds(tally?.operations)).toBeGreaterThanOrEqual(15);
    expect(kinds(tally?.webhooks)).toBeGreaterThanOrEqual(8);
    expect(kinds(tally?.documents)).toBeGreaterThanOrEqual(1);
  });

  const logged = (): Readonly<Record<string, unknown>>[] =>
    scene.stage
      .log()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));

  it('logs where each run began and how it ended', () => {
    expect(logged()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          msg: 'run started',
          repository: 'example/pocket-duration',
          issue: 1,
          run: 1,
        }),
        expect.objectContaining({ msg: 'run ended', run: 1, end: { kind: 'asked' } }),
      ]),
    );
    // The price of its model is unknown.
    const ended = logged().filter(({ msg, run }) => msg === 'run ended' && run === 1);
    expect(ended.filter((line) => 'dollars' in line)).toEqual([]);
  });

  it('says in each line of the log which session or delivery it is about, and where', () => {
    const lines = logged().filter(({ msg }) => !OF_THE_SERVICE.has(String(msg)));
    const repository = 'example/pocket-duration';
    const about = (line: object): object => {
      if (!('session' in line)) return { delivery: /^[\da-f-]{36}$/, event: /^[a-z_]+/ };
      const thread = 'pullRequest' in line ? { pullRequest: 2 } : { issue: 1 };
      return { session: /^[\w-]{8,}$/, repository, ...thread };
    };
    const lacking = lines.flatMap((line) =>
      Object.entries(about(line)).flatMap(([name, expected]) => {
        const isRight =
          expected instanceof RegExp ? expected.test(String(line[name])) : line[name] === expected;
        return isRight ? [] : [`${String(line['msg'])}: ${name}`];
      }),
    );
    expect(lacking).toEqual([]);
    const said = new Set(lines.map(({ msg }) => msg));
    for (const msg of ['delivery received', 'request handled', 'run started', 'run ended'])
      expect([msg, said.has(msg)]).toEqual([msg, true]);
  });

  it('names no field twice in a line of the log', () => {
    const names = scene.stage
      .log()
      .split('\n')
      .map((line) => [...line.matchAll(/[{,]"(\w+)":/g)].map(([, name]) => name));
    expect(names.filter((one) => new Set(one).size < one.length)).toEqual([]);
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
