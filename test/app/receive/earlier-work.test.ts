import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import {
  earlierWorkGuard,
  EarlierWork,
  guardStart,
} from '../../../src/app/receive/earlier-work.ts';
import { TellPerson, TryLater } from '../../../src/lib/errors.ts';

const log = pino({ level: 'silent' });

interface World {
  /** Of each repository: the sessions of its status comments, or why GitHub does not show them. */
  readonly comments?: readonly (readonly string[] | Error)[];
  readonly known?: readonly string[];
  readonly isUsed?: boolean;
  readonly owner?: string;
  readonly isWithoutLogin?: boolean;
}

function open({ comments = [], known = [], isUsed = false, ...account }: World) {
  const { owner = 'example', isWithoutLogin = false } = account;
  let looks = 0;
  const parts = {
    database: 'The data directory /data',
    serves: (one: string) => one === 'example',
    store: {
      missed: { watermark: async () => (isUsed ? { until: new Date() } : undefined) },
      session: async (id: string) => (known.includes(id) ? { id } : undefined),
    },
    github: {
      installations: {
        list: async () => [{ id: 1, owner, isWithoutLogin, isSuspended: false }],
        repositories: async () => comments.map((_, id) => ({ id, owner, name: `r${id}` })),
      },
      repositorySetUp: (_installation: number, { id }: { readonly id: number }) => ({
        ownStatusComments: async () => {
          looks += 1;
          const found = comments[id] ?? [];
          if (found instanceof Error) throw found;
          return found.map((session) => ({ issue: 4, session }));
        },
      }),
    },
  };
  const guard = earlierWorkGuard(parts as unknown as Parameters<typeof earlierWorkGuard>[0]);
  return { guard, looks: () => looks };
}

describe('a new database', () => {
  it('is not used if GitHub has a status comment of a session that it lacks', async () => {
    const { guard } = open({ comments: [[], ['a', 'b']], known: ['a'] });
    await expect(guard()).rejects.toThrow(
      /^The data directory \/data is new, but example\/r1#4 has a status comment of this App .*`issuewright adopt`/,
    );
    await expect(guardStart(guard, log)).rejects.toBeInstanceOf(EarlierWork);
  });

  it('is used if its own sessions made all of them, and asks GitHub only once', async () => {
    const { guard, looks } = open({ comments: [['a'], []], known: ['a'] });
    await guard();
    await guard();
    expect(looks()).toBe(2);
  });

  it('is used without a look if a service has used it before', async () => {
    const { guard, looks } = open({ comments: [['a']], isUsed: true });
    await guard();
    expect(looks()).toBe(0);
  });

  it('does not look at accounts that are not served', async () => {
    const { guard, looks } = open({ comments: [['a']], owner: 'other' });
    await guard();
    expect(looks()).toBe(0);
  });

  it('does not look at accounts without a login, whatever is served', async () => {
    const { guard, looks } = open({ comments: [['a']], isWithoutLogin: true });
    await guard();
    expect(looks()).toBe(0);
  });

  it('is judged by the repositories that GitHub shows', async () => {
    await open({ comments: [new TellPerson('No.'), []] }).guard();
    await expect(open({ comments: [new TellPerson('No.'), ['a']] }).guard()).rejects.toThrow(
      /r1#4/,
    );
  });

  it('keeps no service from starting while GitHub does not answer, and is judged later', async () => {
    const answers: (readonly string[] | Error)[] = [new TryLater('GitHub is away')];
    const { guard } = open({ comments: answers });
    await guardStart(guard, log);
    await expect(guard()).rejects.toBeInstanceOf(TryLater);
    answers[0] = ['a'];
    await expect(guard()).rejects.toBeInstanceOf(EarlierWork);
  });
});
