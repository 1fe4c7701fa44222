// Which pull request work is based on, and what becomes of that.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isPull } from '../../../packages/local-github/src/github/state.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

describe('work that depends on other work', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({}, { people: [] });
  });
  afterAll(() => service.close());

  let count = 0;
  const says = (): void => {
    count += 1;
    const path = `${count}.txt`;
    service.model.says(
      json(['write_file', { path, content: 'x\n' }]),
      json(['finish', { summary: `Add ${path}` }]),
    );
  };
  type Session = Awaited<ReturnType<Service['start']>>;
  const run = async (session: Session): Promise<Session> => {
    says();
    await session.advance();
    await session.publish();
    await session.publish();
    return session;
  };
  const work = async (title: string, body = '') =>
    run(await service.start(title, 'maintainer', body));
  const pullOf = async ({ row }: Session) => {
    const number = (await row())?.pullRequest;
    const pull = service.repository.issues.filter(isPull).find((one) => one.number === number);
    if (pull === undefined) throw new Error('it has no pull request');
    return pull;
  };
  const issueOf = async ({ row }: Session) => (await row())?.issue ?? 0;
  const foundBy = async ({ journal }: Session) =>
    entriesOf(await journal(), 'base_chosen').map(({ found }) => found);
  const changesIn = async ({ journal }: Session) => entriesOf(await journal(), 'base_changed');
  const textsOn = (number: number): string =>
    service.repository.comments
      .filter(({ issueNumber }) => issueNumber === number)
      .map(({ body }) => body)
      .join('\n');

  it('begins at the pull request of an issue that a command names', async () => {
    const lower = await work('Lower');
    const issue = service.open('Upper');
    const command = `/issuewright base this on #${await issueOf(lower)}`;
    const id = await service.comment(issue.number, 'maintainer', command);
    const upper = await run(service.sessionOf(issue, id));
    const below = await pullOf(lower);
    expect((await pullOf(upper)).pull.base).toBe(below.pull.head);
    expect(await foundBy(upper)).toEqual([
      {
        kind: 'based',
        pullRequest: below.number,
        branch: below.pull.head,
        baseBranch: below.pull.head,
      },
    ]);
  });

  it('is not based on what a person without permission wrote in the issue', async () => {
    const lower = await work('Lower');
    const body = `Depends on #${(await pullOf(lower)).number}`;
    const issue = service.github
      .as('stranger')
      .openIssue(service.repository, { title: 'Upper', body });
    const id = await service.comment(issue.number, 'maintainer', '@issuewright do it');
    const upper = await run(service.sessionOf(issue, id));
    expect(await foundBy(upper)).toEqual([]);
    expect((await pullOf(upper)).pull.base).toBe('main');
  });

  it('needs one of several to be chosen, and says which are open', async () => {
    const [one, other] = [await work('One'), await work('Other')];
    const numbers = [(await pullOf(one)).number, (await pullOf(other)).number];
    const upper = await work('Upper', `Depends on #${numbers[0]} and #${numbers[1]}`);
    expect(await foundBy(upper)).toEqual([{ kind: 'several', pullRequests: numbers }]);
    expect(textsOn(await issueOf(upper))).toContain(
      `several are open (#${numbers[0]}, #${numbers[1]}). Choose one with \`/issuewright base #${numbers[0]}\``,
    );
  });

  it('cannot be based on itself, nor on anything once its pull request is open', async () => {
    const next = service.repository.nextNumber;
    const session = await work('Round', `Blocked by #${next}`);
    expect(await foundBy(session)).toEqual([
      { kind: 'none', named: [{ number: next, because: 'itself' }] },
    ]);
    const lower = await work('Lower');
    const command = `/issuewright base #${await issueOf(lower)}`;
    await session.comment('maintainer', command);
    await session.advance();
    await session.publish();
    expect(await foundBy(session)).toHaveLength(1);
    const said = service.repository.comments.find(({ body }) => body === command);
    expect(said?.reactions.map(({ content }) => content)).toEqual(['confused']);
  });

  it('is told of a pull request below that was closed, once, and goes on when it is merged after all', async () => {
    const lower = await work('Lower');
    const below = await pullOf(lower);
    const upper = await work('Upper', `Depends on #${below.number}`);
    const { repository, github } = service;
    const at = { repository, number: below.number };
    await github.as('maintainer').close(at);
    for (let time = 0; time < 2; time += 1) {
      await upper.advance();
      await upper.publish();
    }
    const own = await pullOf(upper);
    expect(textsOn(own.number)).toMatch(/closed without a merge; its commits are still in here\./);
    expect(own.body).toContain(`⚠️ **Based on #${below.number}**, which was closed`);
    expect(await changesIn(upper)).toHaveLength(1);
    await github.as('maintainer').reopen(at);
    await github.as('maintainer').merge(at);
    await upper.advance();
    await upper.publish();
    expect((await pullOf(upper)).pull.base).toBe('main');
    expect((await changesIn(upper)).map(({ state }) => state)).toEqual(['closed', 'merged']);
  });

  it('follows people who choose another base', async () => {
    const lower = await work('Lower');
    const upper = await work('Upper', `Depends on #${(await pullOf(lower)).number}`);
    const own = await pullOf(upper);
    own.pull.base = 'main';
    await upper.advance();
    await upper.publish();
    expect(await changesIn(upper)).toMatchObject([{ state: 'left', baseBranch: 'main' }]);
    expect((await pullOf(upper)).body).not.toContain('Based on');
  });

  it('says so if GitHub does not let the base be changed', async () => {
    const lower = await work('Lower');
    const below = await pullOf(lower);
    const upper = await work('Upper', `Depends on #${below.number}`);
    const own = await pullOf(upper);
    const { repository, github } = service;
    await github.as('maintainer').merge({ repository, number: below.number });
    github.faults.failNext({
      method: 'PATCH',
      path: new RegExp(`/pulls/${own.number}$`),
      status: 422,
      body: { message: 'Validation Failed' },
    });
    await upper.advance();
    await upper.publish();
    const [changed] = await changesIn(upper);
    expect(changed).toMatchObject({ state: 'merged', baseBranch: below.pull.head });
    expect(textsOn(own.number)).toMatch(
      /was merged, but I couldn't change the base: .*Validation Failed/,
    );
  });

  it('goes to the next one below if the one below was merged into that', async () => {
    const lowest = await work('Lowest');
    const lower = await work('Lower', `Depends on #${await issueOf(lowest)}`);
    const upper = await work('Upper', `Depends on #${await issueOf(lower)}`);
    const { repository, github } = service;
    await github.as('maintainer').merge({ repository, number: (await pullOf(lower)).number });
    await upper.advance();
    await upper.publish();
    const below = await pullOf(lowest);
    const own = await pullOf(upper);
    expect(own.pull.base).toBe(below.pull.head);
    expect(own.body).toContain(`**Based on #${below.number}**; merge that first.`);
  });
});
