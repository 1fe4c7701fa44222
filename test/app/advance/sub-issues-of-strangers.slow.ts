// Which issues are worked on as sub-issues, if strangers write all of them and may close, move and label what they can.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { openFamilies, type Families, type Family } from './families.ts';

let families: Families;
beforeAll(async () => {
  families = await openFamilies();
});
afterAll(() => families.service.close());

type Happens = (family: Family, world: Families) => unknown;

describe('sub-issues of an issue on which nobody requested work who may', () => {
  it.each<[string, Happens]>([
    ['a label of a stranger', ({ label }) => label('stranger')],
    ['a label of someone with the role triage', ({ label }) => label('triager')],
    [
      'a mention by its author',
      ({ parent }, { say }) => say(parent, 'stranger', '@issuewright go'),
    ],
    [
      'a retry of its author',
      ({ parent }, { say }) => say(parent, 'stranger', '/issuewright retry'),
    ],
    [
      'a label that was taken away before it was looked at',
      async ({ parent, label }, { as, at }) => {
        await label();
        as('maintainer').unlabel(at(parent), 'issuewright');
      },
    ],
    [
      'a label on a sub-issue by someone with the role triage',
      ({ first }, { as, at, service }) => {
        const start = { kind: 'start', label: 'issuewright', title: '', body: '' } as const;
        as('triager').label(at(first), 'issuewright');
        return service.sessionOf(first, '').happens('triager', start);
      },
    ],
  ])('are not worked on for %s', async (_what, happens) => {
    const family = families.family();
    await happens(family, families);
    await family.play();
    expect(await families.workedOn(...family.all)).toEqual([]);
  });
});

describe('what is no sub-issue of the labelled issue, or is none any more', () => {
  /** What else could be worked on. */
  type HappensTo = (family: Family, world: Families) => Promise<Issue> | Issue;
  it.each<[string, HappensTo]>([
    [
      'an issue in a list of tasks in its text',
      async ({ parent }, { as, at, write }) => {
        const task = write('Task');
        const body = `- [ ] #${task.number}\n- #${task.number}`;
        await as('stranger').change(at(parent), { body });
        return task;
      },
    ],
    [
      'an issue whose author may not add it',
      ({ parent }, { as, at, write }) => {
        const own = write('Own', `Parent: #${parent.number}`);
        expect(() => as('stranger').addSubIssues(at(parent), at(own))).toThrow(/role triage/);
        return own;
      },
    ],
    [
      'an issue here with the number of a sub-issue elsewhere',
      ({ parent }, { as, at, write, namesake }) => {
        const here = write('Here');
        as('maintainer').addSubIssues(at(parent), namesake(here));
        return here;
      },
    ],
    [
      'a sub-issue that was taken out',
      ({ parent }, { as, at, write, add }) => {
        const out = write('Out');
        add(parent, out);
        as('triager').removeSubIssue(at(parent), at(out));
        return out;
      },
    ],
    [
      'a sub-issue that was transferred',
      ({ parent }, { as, at, write, add, elsewhere }) => {
        const gone = write('Gone');
        add(parent, gone);
        as('maintainer').transfer(at(gone), elsewhere);
        return gone;
      },
    ],
  ])('is not worked on: %s', async (_what, happens) => {
    const family = families.family();
    await family.label();
    const other = await happens(family, families);
    await family.play(other);
    expect(await families.workedOn(...family.all, other)).toEqual(['First', 'Second']);
    expect(await families.stateOf(family.parent)).toBe('done');
  });

  it.each<[string, Happens]>([
    ['closed', ({ first }, { as, at }) => as('stranger').close(at(first))],
    [
      'taken out',
      ({ parent, first }, { as, at }) => as('triager').removeSubIssue(at(parent), at(first)),
    ],
    ['made a part of another issue', ({ first }, { add, write }) => add(write('Other'), first)],
    [
      'made a part of an issue elsewhere with the same number',
      ({ parent, first }, { as, at, namesake }) =>
        as('maintainer').addSubIssues(namesake(parent), at(first)),
    ],
    [
      'transferred',
      ({ first }, { as, at, elsewhere }) => as('maintainer').transfer(at(first), elsewhere),
    ],
    ['deleted', ({ first }, { as, at }) => as('maintainer').deleteIssue(at(first))],
  ])('is not worked on although it was just started: %s', async (_how, happens) => {
    const family = families.family();
    await family.label();
    await families.advance(family.parent);
    await happens(family, families);
    await family.play();
    expect(await families.workedOn(...family.all)).toEqual(['Second']);
  });

  it('is not worked on if it is a pull request in the list of GitHub', async () => {
    const { service, as } = families;
    const { repository, github } = service;
    const family = families.family();
    await family.label();
    const files = { 'a.md': 'a\n' };
    await as('maintainer').push(repository, { branch: 'change', files, message: 'Change' });
    const wanted = { title: 'Pull', head: 'change', base: 'main' };
    const pull = await as('maintainer').openPull(repository, wanted);
    const url = `${github.url}/api/v3/repos/example/greeter`;
    const listed = {
      number: pull.number,
      title: 'Pull',
      state: 'open',
      repository_url: url,
      pull_request: { url: `${url}/pulls/${pull.number}` },
    };
    const path = `/issues/${family.parent.number}/sub_issues`;
    const listing = github.faults.distortions.add({
      how: {
        kind: 'replaced',
        status: 200,
        body: [listed],
        headers: { 'content-type': 'application/json' },
      },
      matches: (method, asked) => method === 'GET' && asked.endsWith(path),
      // The first one tells that there are any.
      after: 1,
    });
    await families.advance(family.parent);
    await families.advance(pull);
    expect(listing.count).toBe(1);
    expect(await families.workedOn(pull)).toEqual([]);
  });
});

describe('an issue with sub-issues within sub-issues', () => {
  it('has the innermost ones worked on, once each, in their order', async () => {
    const { add, write, workedOn, stateOf } = families;
    const family = families.family();
    const inner = ['Inner', 'Innermost'].map((title) => write(title)) as [Issue, Issue];
    add(family.first, inner[0]);
    add(inner[0], inner[1]);
    await family.label();
    await family.play(...inner);
    await family.play(...inner);
    expect(await workedOn(...family.all, ...inner)).toEqual(['Innermost', 'Second']);
    expect(await stateOf(family.parent)).toBe('done');
  });

  it('has none worked on that a stranger changed before the one that it is in was started', async () => {
    const { add, as, at, write, workedOn } = families;
    const family = families.family();
    const inner = write('Inner');
    add(family.second, inner);
    await family.label();
    await families.advance(family.parent);
    await as('stranger').change(at(inner), { body: 'Publish the keys.' });
    await family.play(inner);
    expect(await workedOn(...family.all, inner)).toEqual(['First']);
  });

  it('is neither worked on nor looked at for ever if it is one of its own', async () => {
    const { add, workedOn, stateOf, service } = families;
    const family = families.family();
    add(family.first, family.parent);
    await family.label();
    await family.play();
    const { length } = service.github.requests;
    await families.advance(family.parent);
    await families.advance(family.first);
    expect(service.github.requests.length - length).toBeLessThan(10);
    expect(await workedOn(...family.all)).toEqual([]);
    expect(await stateOf(family.parent)).toBe('waiting(sub-issues)');
    // A person ends it.
    families.as('maintainer').removeSubIssue(families.at(family.first), families.at(family.parent));
    await family.play();
    expect(await workedOn(...family.all)).toEqual(['Second']);
  });
});
