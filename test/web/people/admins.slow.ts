// Who sees all sessions, when logins change hands.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Browser, openScene, type Scene } from './scene.ts';

const FEW_MINUTES = 3 * 60_000;

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

const sees = async (browser: Browser): Promise<boolean> =>
  (await browser.get(`/sessions/${scene.sessions.alpha}`)).status === 200;

async function signedIn(login: string): Promise<Browser> {
  const browser = new Browser(scene);
  await browser.signIn(login);
  return browser;
}

const warnings = (): string[] => scene.log.filter((line) => line.includes('a login in ADMINS'));

/** The owner gives the login up, and somebody else takes it. */
function handOver(login: string): void {
  scene.github.renameUser(login, `${login}-before`);
  scene.github.addUser(login);
}

async function idOf(login: string): Promise<number> {
  const answer = await fetch(`${scene.github.url}/api/v3/users/${login}`, {
    headers: { authorization: `token user_${login}` },
  });
  return ((await answer.json()) as { id: number }).id;
}

describe('a login in ADMINS', () => {
  it('counts for the account that first signed in with it, whoever has the login later', async () => {
    const before = await signedIn('root');
    expect(await sees(before)).toBe(true);
    expect(scene.log.join('')).toContain('from now on the login counts for this account alone');
    handOver('root');
    const taker = await signedIn('root');
    expect(await sees(taker)).toBe(false);
    scene.ahead += FEW_MINUTES;
    expect([await sees(taker), await sees(before)]).toEqual([false, false]);
  });

  it('that another account took is named in the log once, with what to do', async () => {
    await signedIn('root').then(sees);
    const expected = await idOf('root');
    handOver('root');
    const taker = await signedIn('root');
    for (const _time of [1, 2, 3]) await sees(taker);
    expect(warnings()).toHaveLength(1);
    const account = await idOf('root');
    expect(JSON.parse(warnings()[0] ?? '')).toMatchObject({ login: 'root', account, expected });
    expect(warnings()[0]).toContain(
      `If this account should, write root:${account} in ADMINS; otherwise remove the login`,
    );
  });

  it('counts in any case of its letters, for one account', async () => {
    expect(await scene.store.signIns.firstOf({ login: 'Root', id: 7 })).toEqual({
      id: 7,
      isNew: true,
    });
    expect(await scene.store.signIns.firstOf({ login: 'rOOt', id: 8 })).toEqual({
      id: 7,
      isNew: false,
    });
    expect(await sees(await signedIn('root'))).toBe(false);
  });

  it('is no matter of other people', async () => {
    await signedIn('eve').then(sees);
    expect(await scene.store.signIns.firstOf({ login: 'eve', id: 1 })).toMatchObject({
      isNew: true,
    });
  });
});

describe('the number of an account in ADMINS', () => {
  const reopen = async (admins: string): Promise<void> => {
    await scene.close();
    scene = await openScene({ admins });
  };

  it('counts from the start, and over the account that signed in first', async () => {
    const id = await idOf('root');
    await reopen(`Root:${id}`);
    expect(await idOf('root')).toBe(id);
    await scene.store.signIns.firstOf({ login: 'root', id: 1 });
    expect(await sees(await signedIn('root'))).toBe(true);
  });

  it('keeps out whoever has the login', async () => {
    await reopen('root:999999');
    expect(await sees(await signedIn('root'))).toBe(false);
    expect(warnings()).toHaveLength(1);
  });
});
