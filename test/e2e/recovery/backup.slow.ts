// The commands of docs/team-server.md, as they stand there.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { machineServer } from '../../support/machine-server.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const run = promisify(execFile);

const SCRIPT: Script = {
  match: 'Paint it',
  turns: [
    say(call('ask_question', { questions: [{ question: 'Which colour?', default: 'Green.' }] })),
    { ...say(call('write_file', { path: 'COLOUR.md', content: 'Red.\n' })), when: 'Red, please' },
    say(call('finish', { summary: 'Painted.' })),
  ],
};

const [, SECTION = ''] = readFileSync('docs/team-server.md', 'utf8').split('## Backup and restore');
const BLOCKS = [...SECTION.split('\n## ')[0]!.matchAll(/```bash\n([^]*?)```/g)].map(
  ([, commands = '']) => commands,
);
const [SAVE_DATA = '', RESTORE_DATA = '', SAVE_SERVER = '', RESTORE_SERVER = ''] = BLOCKS;

/** What the commands do with the user and the directories of this test, and without systemd. */
const here = (commands: string, program: string, data: string): string =>
  commands
    .replaceAll(/^sudo systemctl .*\n/gm, '')
    .replaceAll(/^sudo (?:-u issuewright )?/gm, '')
    .replaceAll(' -o issuewright', '')
    .replaceAll('/var/lib/issuewright', `'${data}'`)
    .replace('./issuewright', program);

/** With a database of its own at `databaseUrl`, or the embedded one. */
async function open(databaseUrl?: string) {
  const scene = await Scene.open({
    scripts: [SCRIPT],
    ownDatabase: true,
    patienceMs: 90_000,
    environment: databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl },
  });
  const data = path.join(scene.directory, 'data');
  const program = path.resolve('issuewright');
  const environment = { ...process.env, DATA_DIR: data, DATABASE_URL: databaseUrl };
  return {
    scene,
    command: (commands: string) =>
      run('bash', ['-euo', 'pipefail', '-c', here(commands, program, data)], {
        cwd: scene.directory,
        env: environment,
      }),
  };
}

const asked = (scene: Scene, issue: Issue) => scene.untilStatus(issue, /waiting for .*answer/i);

async function answerAndFinish(scene: Scene, issue: Issue): Promise<void> {
  scene.maintainer.comment(scene.thread(issue), 'Red, please.');
  await finished(scene);
}

const finished = (scene: Scene) =>
  scene.until('a pull request that is ready', () => scene.pulls().some(({ pull }) => !pull.draft));

/** One of each on GitHub, and the work is right. */
async function expectOnce(scene: Scene, issue: Issue): Promise<void> {
  const marks = scene
    .comments(issue)
    .map(({ body }) => /<!-- issuewright:\S+?:(\S+) -->/.exec(body)?.[1]);
  expect(marks.filter((mark) => mark === 'status')).toHaveLength(1);
  expect(marks.filter((mark) => mark?.startsWith('question'))).toHaveLength(1);
  expect(new Set(marks).size).toBe(marks.length);
  expect(scene.pulls()).toHaveLength(1);
  const [branch = '', ...others] = await scene.branches();
  expect(others).toEqual([]);
  expect(await scene.git('show', `${branch}:COLOUR.md`)).toBe('Red.');
}

async function recreate(databaseUrl: string): Promise<void> {
  const url = new URL(databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`drop database ${name} with (force)`);
  await client.query(`create database ${name}`);
  await client.end();
}

describe('a session that waits for an answer', () => {
  it('continues after the embedded database was restored', async () => {
    const { scene, command } = await open();
    try {
      const issue = scene.ask('Paint it', '');
      await asked(scene, issue);
      await command(SAVE_DATA);
      await scene.stop();
      await command(RESTORE_DATA);
      await scene.start();
      await answerAndFinish(scene, issue);
      await expectOnce(scene, issue);
    } finally {
      await scene.close();
    }
  }, 600_000);

  it('makes nothing twice that it made after the backup', async () => {
    const { scene, command } = await open();
    try {
      const issue = scene.ask('Paint it', '');
      await asked(scene, issue);
      await command(SAVE_DATA);
      await answerAndFinish(scene, issue);
      await scene.stop();
      await command(RESTORE_DATA);
      await scene.start();
      await scene.untilStatus(issue, /ready for review|nothing to change/i);
      await expectOnce(scene, issue);
    } finally {
      await scene.close();
    }
  }, 600_000);

  it('continues after the database of a server was restored', async () => {
    const server = await machineServer();
    if (server === undefined) {
      process.stderr.write('not tested: this machine has no PostgreSQL server with its pg_dump\n');
      return;
    }
    const { scene, command } = await open(server.databaseUrl);
    try {
      const issue = scene.ask('Paint it', '');
      await asked(scene, issue);
      await command(SAVE_SERVER);
      await scene.stop();
      await recreate(server.databaseUrl);
      await command(RESTORE_SERVER);
      await scene.start();
      await answerAndFinish(scene, issue);
      await expectOnce(scene, issue);
    } finally {
      await scene.close();
      await server.stop();
    }
  }, 600_000);
});
