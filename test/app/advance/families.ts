// Issues with sub-issues, all written by a stranger and put together by a maintainer, in a service whose model finds nothing to do.
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import type { Model, ModelRequest } from '../../../src/contracts/model.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService } from '../support.ts';

/** When work was requested: long after all was written. */
const REQUESTED = '2026-01-01T00:00:00Z';

export type Families = Awaited<ReturnType<typeof openFamilies>>;
export type Family = ReturnType<Families['family']>;

export async function openFamilies() {
  const { model, requests } = idleModel();
  const service = await openService(
    {},
    { openModel: () => Promise.resolve(model), people: ['triager', 'leaver'] },
  );
  const { github, repository, store } = service;
  repository.collaborators.set('triager', 'triage').set('writer', 'write').set('leaver', 'write');
  const elsewhere = await github.createRepository({
    owner: 'example',
    name: 'other',
    files: {},
    collaborators: { maintainer: 'admin' },
  });
  const as = (login: string) => github.as(login);
  const at = ({ number }: Issue) => ({ repository, number });
  const write = (title: string, body = 'Please.', login = 'stranger'): Issue =>
    as(login).openIssue(repository, { title, body });
  const sessionOf = async (issue: Issue) => {
    const row = await store.sessionFor(repository.id, issue.number);
    return service.sessionOf(issue, row?.id ?? '');
  };
  const advance = async (issue: Issue): Promise<void> => {
    const session = await sessionOf(issue);
    if (session.id !== '') await session.advance();
  };

  return {
    service,
    elsewhere,
    /** What the model was asked, in all sessions. */
    requests,
    as,
    at,
    write,
    sessionOf,
    advance,
    add: (parent: Issue, ...children: Issue[]): void =>
      as('maintainer').addSubIssues(at(parent), ...children.map(at)),
    /** Someone comments, and the service reads it. */
    say: async (on: Issue, login: string, words: string): Promise<void> => {
      await service.comment(on.number, login, words);
      await advance(on);
    },
    /** An issue with this number in another repository. */
    namesake: ({ number }: Issue) => {
      let last = 0;
      while (last < number)
        last = as('maintainer').openIssue(elsewhere, { title: 'Namesake', body: '' }).number;
      return { repository: elsewhere, number };
    },
    stateOf: async (issue: Issue): Promise<string | undefined> =>
      (await (await sessionOf(issue)).row())?.state,
    /** The titles of those on which a run began, in that order; of one twice, if that was twice. */
    workedOn: async (...issues: readonly Issue[]): Promise<readonly string[]> => {
      const runs = await Promise.all(
        issues.map(async (issue) => {
          const entries = await (await sessionOf(issue)).journal();
          return entriesOf(entries, 'run_started').map((run) => ({ at: run.at, of: issue }));
        }),
      );
      const inOrder = runs.flat().toSorted((one, other) => (one.at < other.at ? -1 : 1));
      return inOrder.map(({ of }) => of.title);
    },
    family: () => {
      const parent = write('Parent', 'In two steps.');
      const first = write('First');
      const second = write('Second');
      as('maintainer').addSubIssues(at(parent), at(first), at(second));
      return {
        parent,
        first,
        second,
        all: [parent, first, second],
        label: (login = 'maintainer'): Promise<string> => {
          const { title, body } = parent;
          const label = 'issuewright';
          if (login !== 'stranger') as(login).label(at(parent), label);
          const start = { kind: 'start', label, title, body: body ?? '', at: REQUESTED } as const;
          return service.sessionOf(parent, '').happens(login, start);
        },
        /** Until there is nothing more to do. */
        play: async (...others: readonly Issue[]): Promise<void> => {
          const issues = [parent, first, second, ...others];
          for (let round = 0; round <= issues.length; round += 1)
            for (const issue of issues) await advance(issue);
        },
      };
    },
  };
}

function idleModel(): { readonly model: Model; readonly requests: readonly ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const text = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);
  const usage = { input: 100, cached: 0, written: 0, output: 10, reasoning: 0 };
  const model: Model = {
    name: 'test:first',
    destination: 'Nobody',
    callsTools: false,
    imageTypes: new Set(),
    contextWindow: undefined,
    reply: (request) => {
      requests.push(request);
      return Promise.resolve({
        text,
        reasoning: '',
        calls: [],
        stop: 'end',
        usage,
        cost: null,
        native: null,
      });
    },
  };
  return { model, requests };
}
