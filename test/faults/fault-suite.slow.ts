// A few faults of the table, and a proof that its eyes are open. All of them: `npm run test:faults`.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Comment } from '../../packages/local-github/src/github/state.ts';
import { inspect, inspectAfterStop, type Finding } from './invariants.ts';
import { asApp, commentTwice, commitAsApp, openPullAsApp } from './planted.ts';
import { rowsNamed } from './rows/index.ts';
import { runSuite } from './suite.ts';
import { PLAIN } from './tales.ts';
import { World } from './world.ts';

const CUT = [
  'kill -9 at every entry: question and review',
  'kill -9 of the embedded PostgreSQL',
  'GitHub: 2xx cut in the middle',
  'model: malformed events',
];

describe('the fault suite', () => {
  it('finds nothing twice, nothing lost and nothing left behind after some faults', async () => {
    const rows = rowsNamed(CUT);
    const tallies = await runSuite({ rows, tries: 1, lanes: 2, tell: () => {} });
    expect(tallies.flatMap(({ findings }) => findings)).toEqual([]);
    expect(tallies.map(({ tries }) => tries)).toEqual([3, ...CUT.map(() => 1)]);
  }, 400_000);
});

describe('the invariants of the fault suite', () => {
  let world: World;
  const thread = () => world.thread(1);
  const look = (): Promise<Finding[]> =>
    inspect(world, { issues: [1], expected: PLAIN.expected, isMuted: false });
  const query = async (text: string): Promise<void> =>
    void (await (await world.connect()).query(text));
  const status = (): Comment => world.comments(1)[0]!;
  const kindsOf = (findings: readonly Finding[]) => findings.map(({ kind }) => kind);

  beforeAll(async () => {
    world = await World.open(PLAIN);
    await PLAIN.play(world);
    await world.until('the last edit', async () => (await look()).length === 0);
  });
  afterAll(() => world.close());

  it('count a second status comment', async () => {
    const second = asApp(world).comment(thread(), status().body);
    expect(kindsOf(await look())).toEqual(['duplicates']);
    asApp(world).deleteComment(world.repository, second.id);
    await world.until('the service has heard of that', async () => (await look()).length === 0);
  });

  it('count a second comment without a marker', async () => {
    const two = commentTwice(world);
    expect(kindsOf(await look())).toEqual(['duplicates']);
    for (const { id } of two) asApp(world).deleteComment(world.repository, id);
  });

  it('count a second branch, a second pull request and a repeated commit', async () => {
    const branch = 'issuewright/issue-1-2';
    await commitAsApp(world, { branch, message: 'One', content: 'a\n' });
    expect(kindsOf(await look())).toEqual(['duplicates']);
    await openPullAsApp(world, branch);
    expect(kindsOf(await look())).toEqual(['duplicates', 'duplicates']);
    const again = { branch: 'issuewright/issue-1', message: 'Say hello in French', content: 'b\n' };
    await commitAsApp(world, again);
    expect(kindsOf(await look())).toEqual(['duplicates', 'duplicates', 'duplicates']);
  });

  it('count a comment that is gone', async () => {
    const { comments } = world.repository;
    const at = comments.indexOf(status());
    const [gone] = comments.splice(at, 1);
    expect(kindsOf(await look())).toContain('losses');
    comments.splice(at, 0, gone!);
  });

  it('count a status that says something else than the journal', async () => {
    const { id, body } = status();
    const edit = (text: string) => asApp(world).editComment(world.repository, id, text);
    edit(body.replace('Ready for review', 'Working'));
    expect(kindsOf(await look())).toContain('unfinished');
    edit(body);
  });

  it('count a gap in the journal, and what is not published', async () => {
    // Changed so recently that the service does not look for what was left unpublished.
    const recently = `updated_at = now() + interval '1 hour'`;
    await query(`update issuewright.sessions set published_seq = last_seq - 1, ${recently}`);
    expect(kindsOf(await look())).toContain('losses');
    await query('update issuewright.sessions set published_seq = last_seq');
    await query('delete from issuewright.journal where seq = 3');
    expect(kindsOf(await look())).toContain('losses');
  });

  const secretPlaces = async (): Promise<string[]> =>
    (await look()).filter(({ kind }) => kind === 'secrets').map(({ words }) => words);
  /** As the bytes of a file in base64. */
  const store = (content: string): Promise<void> => {
    const hex = Buffer.from(Buffer.from(content).toString('base64')).toString('hex');
    return query(`insert into issuewright.changes select session_id, max(seq), 'secret.txt',
      '100644', '\\x${hex}' from issuewright.journal group by session_id`);
  };
  const commit = (content: string): Promise<string> =>
    commitAsApp(world, { branch: 'secret', message: 'Keep it', content });

  it.each<[string, (secret: string) => unknown]>([
    ['a comment', (secret) => asApp(world).comment(thread(), `It is ${secret}.`)],
    [
      'the table issuewright.sessions',
      (secret) => query(`update issuewright.sessions set title = '${secret}'`),
    ],
    ['the table issuewright.changes', (secret) => store(`key = ${secret}\n`)],
    ['the git objects in repositories', (secret) => commit(`key = ${secret}\n`)],
  ])('count a secret in %s', async (where, leak) => {
    expect(await secretPlaces()).not.toContainEqual(expect.stringContaining(where));
    await leak(world.secrets[0]!);
    expect(await secretPlaces()).toContainEqual(expect.stringContaining(where));
  });

  it('count a process and a directory that a stopped service left', async () => {
    const cwd = path.join(world.directory, 'tmp', 'left');
    await mkdir(cwd);
    const child: ChildProcess = spawn('sleep', ['300'], { cwd });
    await once(child, 'spawn');
    const findings = await inspectAfterStop(world);
    child.kill();
    await once(child, 'exit');
    expect(kindsOf(findings)).toEqual(['left behind', 'left behind']);
  });
});
