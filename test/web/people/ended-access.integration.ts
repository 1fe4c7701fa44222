// What is left to someone whose access to a repository ended, one way a row.
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Browser, listen, openScene, type Scene } from './scene.ts';

/** What is promised to someone whose access should end, less the minute that an open page lives. */
const ONE_MINUTE = 60_000;
const UNLIMITED = { signIn: 1e6, stranger: 1e6, person: 1e6, comment: 1e6 };
/** Milliseconds. */
const STREAM_AGE = 300;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ limits: UNLIMITED, streams: { age: STREAM_AGE } });
});
afterAll(() => scene.close());

let browser: Browser;
beforeEach(() => {
  browser = new Browser(scene);
});

const alpha = () => scene.github.repository('example', 'alpha');
const beta = () => scene.github.repository('example', 'beta');
const theirs = () => scene.github.repository('elsewhere', 'alpha');

/** The statuses of all that there is of a session, with a button. Reads none that has no end. */
async function statusesOf(id: string): Promise<number[]> {
  const paths = ['', '/memory', '/prompt', '/prompt/2', '/journal.json', '?before=2'];
  const shown = await Promise.all(paths.map((path) => browser.get(`/sessions/${id}${path}`)));
  expect(
    shown.filter(({ body }) => body.includes('Work on alpha') && body.includes('"kind"')),
  ).toHaveLength(shown[4]?.status === 200 ? 1 : 0);
  return shown.map(({ status }) => status);
}

type Change = readonly [what: string, end: () => void, again: () => void];

const CHANGES: readonly Change[] = [
  [
    'a person is no collaborator',
    () => alpha().collaborators.delete('ada'),
    () => alpha().collaborators.set('ada', 'write'),
  ],
  [
    'the App is suspended',
    () => scene.github.installations.suspend(1),
    () => scene.github.installations.unsuspend(1),
  ],
  [
    'the repository is taken from the App',
    () => scene.github.installations.remove(alpha()),
    () => scene.github.installations.add(alpha(), 1),
  ],
  [
    'the App is uninstalled',
    () => scene.github.installations.uninstall(1),
    () => scene.github.installations.install([alpha(), beta()], 1),
  ],
  [
    'the repository is given to another owner',
    () => scene.github.installations.transfer(alpha(), 'elsewhere'),
    () => {
      const { installations } = scene.github;
      installations.add(theirs(), 1);
      installations.transfer(theirs(), 'example');
      installations.add(alpha(), 1);
    },
  ],
  [
    'the repository is private, and the person was not given access to it',
    () => deny(undefined),
    () => stop(),
  ],
  [
    'GitHub shows the person nothing',
    () => deny({ permissions: { pull: false, push: true } }),
    () => stop(),
  ],
  ['GitHub says nothing of rights', () => deny({}), () => stop()],
  [
    'the number is that of another repository',
    () => deny({ id: 4, permissions: { pull: true, push: true } }),
    () => stop(),
  ],
];
let stop = (): void => {};
/** `undefined`: GitHub's list has no repository. */
const deny = (changed: object | undefined): void => {
  const repositories = changed === undefined ? [] : [{ id: alpha().id, ...changed }];
  const body = { total_count: repositories.length, repositories };
  stop = scene.github.faults.failNext({
    method: 'GET',
    path: /installations\/1\/repositories$/,
    status: 200,
    body,
    times: 100,
  });
};

it.each(CHANGES)('%s, nothing of the session is shown, and no button works', async (...row) => {
  const [, end, again] = row;
  await browser.signIn('ada');
  const id = scene.sessions.alpha;
  expect((await browser.get(`/sessions/${id}`)).status).toBe(200);
  const open = await listen(scene, browser.cookie, id);
  const { comments } = alpha();
  const before = comments.length;
  end();
  try {
    scene.ahead += ONE_MINUTE;
    // Pages that are open connect again by themselves.
    await open.ends;
    expect([open.status, (await listen(scene, browser.cookie, id)).status]).toEqual([200, 404]);
    expect(await statusesOf(id)).toEqual([404, 404, 404, 404, 404, 404]);
    const pressed = await browser.post(
      `/sessions/${id}/comments`,
      {},
      { action: 'stop', about: 'run:1' },
    );
    expect([pressed.status, comments.length]).toEqual([404, before]);
    for (const page of ['/sessions', '/sessions?q=alpha', '/totals', `/sessions?after=${id}`])
      expect((await browser.get(page)).body).not.toContain('alpha</');
  } finally {
    again();
  }
  scene.ahead += ONE_MINUTE;
  expect((await browser.get(`/sessions/${id}`)).status).toBe(200);
});
