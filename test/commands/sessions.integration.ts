import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pause, resume } from '../../src/commands/operate.ts';
import { auditSessions } from '../../src/commands/sessions/audit-sessions.ts';
import { askSession } from '../../src/commands/sessions/ask-session.ts';
import { printSessions } from '../../src/commands/sessions/list-sessions.ts';
import { replaySession } from '../../src/commands/sessions/replay-session.ts';
import { showSession } from '../../src/commands/sessions/show-session.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import {
  delivery,
  newRepository,
  newSession,
  reply,
  sessionOf,
  silent,
} from '../contract/store-world.ts';
import { NO_TERMINAL } from '../support/no-terminal.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';

let place: TestDatabase;
let store: OpenStore;
beforeAll(async () => {
  place = await createDatabase();
  store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
});
afterAll(async () => {
  await store.close();
  await place.drop();
});

type Run = typeof showSession;

async function run(
  command: Run,
  {
    words = [],
    options = {},
    columns,
  }: {
    readonly words?: readonly string[];
    readonly options?: Readonly<Record<string, unknown>>;
    readonly columns?: number | undefined;
  } = {},
) {
  const printed: string[] = [];
  const code = await command({
    arguments: words,
    options,
    environment: { DATABASE_URL: place.url },
    startService: () => Promise.reject(new Error('it starts nothing')),
    print: (text) => void printed.push(text),
    terminal: { ...NO_TERMINAL, columns },
  });
  return { code, text: printed.join('\n') };
}

const stop: Run = (context) => askSession(context, 'stop');
const retry: Run = (context) => askSession(context, 'retry');

describe('the commands of the operator, on a server of PostgreSQL', () => {
  it('list sessions that others share, in lines as wide as the terminal', async () => {
    const id = await newSession(store);
    await store.append(id, [], {
      projection: { state: 'failed', outcome: 'Stopped at a limit' },
    });
    const wide = '長い題'.repeat(20);
    const intent = { kind: 'start', label: 'agent', title: wide, body: '' } as const;
    const { repository } = (await store.session(id)) ?? {};
    await store.accept(
      {
        installation: 1,
        repository: repository ?? { id: 1, owner: '', name: '' },
        thread: { on: 'issue', number: 1 },
        sender: { login: 'maintainer', id: 9 },
        meaning: 'wide',
        intent,
      },
      { id: 'wide', event: 'issues' },
    );
    const options = { state: 'failed', repo: 'Example/SAMPLE' };
    const narrow = await run(printSessions, { options, columns: 80 });
    expect(narrow).toEqual({
      code: 0,
      text: expect.stringMatching(
        new RegExp(
          `^SESSION +STATE   ISSUE +AGE  COST  TITLE…\n${id}  failed  example/sample#1  \\d+ s  -     (?:長い題)+\\S*…$`,
        ),
      ),
    });
    // Each of these signs is two columns wide.
    expect(narrow.text.split('\n')[1]?.length).toBeLessThan(72);
    const [wider, ...others] = await Promise.all(
      [120, 0, undefined].map((columns) => run(printSessions, { options, columns })),
    );
    expect(wider?.text).toMatch(/TITLE +OUTCOME\n.*\S…  Stopped at a limit$/);
    for (const { text } of others) expect(text).toMatch(new RegExp(`${wide}  Stopped at a limit$`));
    expect(await run(printSessions, { options: { repo: 'example/other' } })).toEqual({
      code: 0,
      text: '',
    });
  });

  it('say that a session is ambiguous, and take what is unique', async () => {
    const ids = [await newSession(store), await newSession(store)];
    await expect(run(showSession, { words: ['a b'] })).rejects.toThrow('No session matches');
    const shown = await run(showSession, { words: [ids[0] ?? ''] });
    expect(shown.text).toMatch(/^example\/sample#1 A title\n[^]*@maintainer added the label agent/);
    // More than there are letters and digits.
    for (let count = 0; count < 36; count += 1) await newSession(store);
    const first = (await store.sessions({ limit: 100 })).map(({ id }) => id.charAt(0));
    const twice = first.find((letter, at) => first.indexOf(letter) !== at) ?? '';
    await expect(run(showSession, { words: [twice] })).rejects.toThrow(/Several sessions start/);
  });

  it('journal what is asked once, and wake the session', async () => {
    const id = await newSession(store);
    // Late wake-ups of the sessions of other tests come as well.
    const woken = new Promise<void>((resolve) =>
      store.onWake((session) => void (session === id && resolve())),
    );
    const both = await Promise.all([run(stop, { words: [id] }), run(stop, { words: [id] })]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(await run(stop, { words: [id] })).toMatchObject({ code: 0 });
    await woken;
    const asked = (await store.journal(id)).filter(
      (entry) => entry.type === 'received' && entry.intent.kind === 'operator_command',
    );
    expect(asked).toHaveLength(1);
    expect(await store.placeInQueue(id)).toBeDefined();
  });

  it('do nothing that the state of the session does not allow', async () => {
    const id = await newSession(store);
    const { text, code } = await run(retry, { words: [id] });
    expect([code, text]).toEqual([0, expect.stringMatching(/^Nothing was done.* is queued\.$/)]);
    await store.append(id, [{ type: 'rejected', received: 2, reason: 'not_permitted' }]);
    expect(await run(retry, { words: [id] })).toEqual({
      code: 1,
      text: expect.stringContaining('never started, because'),
    });
  });

  it('tell scripts what came of it', async () => {
    const json = async (command: Run, ...words: readonly string[]) => {
      const { code, text } = await run(command, { words, options: { json: true } });
      return [code, JSON.parse(text) as unknown];
    };
    const session = await newSession(store);
    const about = { session, repository: 'example/sample', issue: 1, serviceRunning: true };
    expect(await json(retry, session)).toEqual([
      0,
      { ...about, outcome: 'already', state: 'queued' },
    ]);
    expect(await json(stop, session)).toEqual([0, { ...about, outcome: 'asked', state: 'queued' }]);
    const other = await newSession(store);
    await store.append(other, [{ type: 'rejected', received: 2, reason: 'not_permitted' }]);
    expect(await json(stop, other)).toEqual([
      1,
      { ...about, session: other, outcome: 'impossible', state: 'ignored' },
    ]);
    const doPause: Run = (context) => pause.run(context);
    const doResume: Run = (context) => resume.run(context);
    expect(await json(doPause, 'we', 'move\u001B[31m')).toEqual([
      0,
      { paused: true, reason: 'we move\u001B[31m', serviceRunning: true },
    ]);
    expect(await json(doResume)).toEqual([
      0,
      { paused: false, wasPaused: true, serviceRunning: true },
    ]);
    expect(await json(doResume)).toEqual([
      0,
      { paused: false, wasPaused: false, serviceRunning: true },
    ]);
  });

  it('say which entries a replay would write otherwise', async () => {
    const id = await newSession(store);
    const base = { branch: 'b', baseBranch: 'main', baseCommit: '0'.repeat(40) };
    const told = { instructions: 'Work.', destination: 'Nobody', model: 'test:one' };
    await store.append(id, [
      { type: 'admitted', received: 2, lineComments: [] },
      { type: 'run_started', run: 1 },
      { type: 'run_prepared', run: 1, protocol: 'json', mode: 'agent', ...told, ...base },
      { type: 'input_read', upTo: 3, text: 'Words of \u001B[31manother version' },
      { type: 'run_ended', run: 1, end: { kind: 'finished' } },
    ]);
    const { code, text } = await run(replaySession, { words: [id] });
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(
        /^Entry 6, input_read: text\n {2}recorded: "Words of \\u001b\[31manother version"\n {2}replayed: "# Issue #1[^]*\nEntry 7, run_ended\n[^]*2 differences\.$/,
      ),
    ]);
    const json = await run(replaySession, { words: [id], options: { json: true } });
    expect([json.code, JSON.parse(json.text)]).toMatchObject([1, { same: false, runs: 1 }]);
  });

  it('list who did what, as lines of JSON, and erase what one person said', async () => {
    const by = async (login: string, state: string) => {
      const happens = newRepository();
      const sender = { login, id: login.length };
      const intent = {
        kind: 'start',
        label: 'agent',
        title: 'x',
        body: `words of ${login}`,
      } as const;
      const id = sessionOf(await store.accept({ ...happens({ intent }), sender }, delivery()));
      const spender = { person: sender, model: 'test:big' };
      await store.append(id, [{ type: 'admitted', received: 2, lineComments: [] }]);
      await store.append(id, [reply(0.5)], { spender, projection: { state } });
      return id;
    };
    const [over, waiting] = [await by('Zoe-Case', 'stopped'), await by('zoe-case', 'working')];
    const other = await by('zoe', 'stopped');
    const lines = async (options: Readonly<Record<string, unknown>>) =>
      (await run(auditSessions, { options })).text
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const all = await lines({});
    expect(all.find(({ session }) => session === over)).toEqual({
      at: expect.any(String),
      session: over,
      repository: 'example/sample',
      issue: 1,
      pullRequest: null,
      login: 'Zoe-Case',
      id: 8,
      did: 'requested',
      dollars: 0.5,
    });
    expect(JSON.stringify(all)).not.toContain('words of');
    expect((await run(auditSessions, { options: { since: '2100-01-01' } })).text).toBe('');
    await expect(run(auditSessions, { options: { since: 'lately' } })).rejects.toThrow(/--since/);
    await expect(run(auditSessions, { options: { erase: '"' } })).rejects.toThrow(/login/);

    const erased = await run(auditSessions, { options: { erase: 'zoe-case' } });
    expect(erased.code).toBe(1);
    expect(erased.text.split('\n').map((line) => JSON.parse(line) as unknown)).toEqual([
      { session: over, outcome: 'erased' },
      expect.objectContaining({ session: waiting, outcome: 'left', state: 'working' }),
    ]);
    const unknown = { options: { erase: 'nobody-here' } };
    expect(await run(auditSessions, unknown)).toEqual({ code: 0, text: '' });
    expect(await run(auditSessions, { ...unknown, columns: 80 })).toEqual({
      code: 0,
      text: 'No session of nobody-here.',
    });
    expect(await store.session(over)).toBeUndefined();
    expect(await store.session(other)).toBeDefined();
    const spent = await store.spentFor({});
    const people = spent.filter(({ by: what }) => what === 'person').map(({ name }) => name);
    expect(people.toSorted()).toEqual(['', 'zoe']);
    const dollars = spent.find(({ by: what, name }) => what === 'person' && name === '')?.dollars;
    expect(dollars).toBe(1);
  });
});
