import { expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import type { Forge } from '../../src/contracts/forge.ts';

/** A repository in which `octo-maintainer` may write and `example-visitor` may not. */
export interface ForgeWorld {
  /** A forge whose branch has one commit that its base lacks: "Work", which adds a.txt. */
  withCommit(): Promise<Forge>;
  /** A forge whose branch has none. */
  withoutCommit(): Promise<Forge>;
  isDraft(number: number): boolean;
  reviewersOf(number: number): readonly string[];
  openIssue(title: string, author: string, text: string, labels?: readonly string[]): number;
  comment(number: number, author: string, text: string): void;
  commentsOn(number: number): readonly string[];
}

const TEXT = { title: 'Count in days', body: 'From a day on.' };
const AT = new Date('2030-01-15T14:03:00Z');

/** What every `Forge` keeps: the one of the local GitHub, and the fake of the tools' tests. */
export function forgeContract(world: () => ForgeWorld): void {
  it('opens a draft, and finds it again when it is repeated', async () => {
    const forge = await world().withCommit();
    const opened = await forge.openPullRequest(TEXT);
    expect(world().isDraft(opened.number)).toBe(true);
    expect(opened.url).toContain(String(opened.number));
    await expect(forge.openPullRequest(TEXT)).resolves.toMatchObject({ number: opened.number });
  });

  it('takes it out of draft, however often', async () => {
    const forge = await world().withCommit();
    const { number } = await forge.openPullRequest(TEXT);
    await forge.markReady(number);
    await forge.markReady(number);
    expect(world().isDraft(number)).toBe(false);
  });

  it('opens none for a branch with nothing on it', async () => {
    const forge = await world().withoutCommit();
    await expect(forge.openPullRequest(TEXT)).rejects.toThrow(/no commits between/i);
  });

  it('asks each for a review once, and says who cannot be asked', async () => {
    const forge = await world().withCommit();
    const { number } = await forge.openPullRequest(TEXT);
    const logins = ['example-visitor', 'octo-maintainer'];
    const answer = { asked: ['octo-maintainer'], denied: ['example-visitor'] };
    await expect(forge.requestReview(number, logins)).resolves.toEqual(answer);
    await expect(forge.requestReview(number, logins)).resolves.toEqual(answer);
    expect(world().reviewersOf(number)).toEqual(['octo-maintainer']);
  });

  it('reads an issue, and says which authors have write access', async () => {
    const forge = await world().withoutCommit();
    const number = world().openIssue('It breaks', 'example-visitor', 'Look.', ['bug']);
    world().comment(number, 'octo-maintainer', 'I see.');
    world().comment(number, 'example-visitor', 'Do something.');
    await expect(forge.issue(number, 1)).resolves.toMatchObject({
      number,
      isPullRequest: false,
      state: 'open',
      title: 'It breaks',
      labels: ['bug'],
      comments: 2,
      opening: { author: 'example-visitor', standing: 'other', text: 'Look.' },
      page: [
        { author: 'octo-maintainer', standing: 'writer', text: 'I see.' },
        { author: 'example-visitor', standing: 'other', text: 'Do something.' },
      ],
      pages: 1,
    });
  });

  it('gives the newest comments first, in pages', async () => {
    const forge = await world().withoutCommit();
    const number = world().openIssue('Long', 'octo-maintainer', '');
    for (let count = 1; count <= 45; count += 1)
      world().comment(number, 'octo-maintainer', `comment ${count}`);
    const texts = async (page: number) => (await forge.issue(number, page)).page.map((c) => c.text);
    expect(await texts(1)).toEqual([
      'comment 41',
      'comment 42',
      'comment 43',
      'comment 44',
      'comment 45',
    ]);
    expect(await texts(2)).toHaveLength(20);
    expect((await texts(3))[0]).toBe('comment 1');
    expect(await texts(4)).toEqual([]);
  });

  it('lists issues by label, without pull requests', async () => {
    const forge = await world().withCommit();
    await forge.openPullRequest(TEXT);
    const label = `topic-${Math.random()}`;
    const number = world().openIssue('One of them', 'example-visitor', '', [label]);
    const { issues, hasMore } = await forge.issues({ state: 'open', labels: [label], page: 1 });
    expect(issues).toMatchObject([{ number, title: 'One of them', author: 'example-visitor' }]);
    expect(hasMore).toBe(false);
    const all = await forge.issues({ state: 'open', labels: [], page: 1 });
    expect(all.issues.some(({ isPullRequest }) => isPullRequest)).toBe(false);
    await expect(
      forge.issues({ state: 'closed', labels: [label], page: 1 }),
    ).resolves.toMatchObject({
      issues: [],
    });
  });

  it('comments once for one call, however often that is repeated', async () => {
    const forge = await world().withoutCommit();
    const issue = world().openIssue('Talk', 'octo-maintainer', '');
    const first = await forge.comment({ issue, body: 'Seen.', at: AT });
    await expect(forge.comment({ issue, body: 'Seen.', at: AT })).resolves.toEqual(first);
    expect(world().commentsOn(issue)).toEqual([expect.stringMatching(/^Seen\./)]);
    await forge.comment({ issue, body: 'Seen.', at: new Date(AT.getTime() + 1) });
    await forge.comment({ issue, body: 'And more.', at: AT });
    expect(world().commentsOn(issue)).toHaveLength(3);
  });

  it('tells the model of what is not there', async () => {
    const forge = await world().withoutCommit();
    await expect(forge.issue(9999, 1)).rejects.toBeInstanceOf(TellModel);
    await expect(forge.comment({ issue: 9999, body: 'x', at: AT })).rejects.toThrow(/#9999/);
    await expect(forge.commitDiff('0123456789')).rejects.toBeInstanceOf(TellModel);
  });

  it('shows the history of the branch, and what its commits changed', async () => {
    const forge = await world().withCommit();
    const [last] = await forge.log({ limit: 1 });
    expect(last).toMatchObject({ message: 'Work', at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) });
    const added = [{ path: 'a.txt', status: 'added', hunks: '@@ -0,0 +1 @@\n+a\n' }];
    await expect(forge.commitDiff(last?.sha.slice(0, 10) ?? '')).resolves.toMatchObject(added);
    await expect(forge.branchChange()).resolves.toMatchObject({ files: added });
    await expect(forge.log({ path: 'a.txt', limit: 9 })).resolves.toHaveLength(1);
    await expect(forge.log({ path: 'no.txt', limit: 9 })).resolves.toEqual([]);
  });

  it('knows the branches', async () => {
    const forge = await world().withCommit();
    const { names } = await forge.branches();
    expect(names).toContain('main');
    expect(names.length).toBeGreaterThan(1);
    await expect(forge.hasBranch('main')).resolves.toBe(true);
    await expect(forge.hasBranch('no/such/branch')).resolves.toBe(false);
  });
}
