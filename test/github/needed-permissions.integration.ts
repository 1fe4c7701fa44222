// The table of permissions against what `src` sends, the tokens that it is sent with, and the local GitHub.
import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'graphql';
import { ProbotOctokit } from 'probot';
import {
  GRAPHQL_FIELDS,
  REST_WRITES,
  compared,
  PURPOSES,
  type NeededPermission,
} from '../../src/github/access/permissions.ts';
import { sendWrongRequests } from '../support/github-schemas/wrong-requests.ts';
import { openPermissionWorld, type PermissionWorld } from './permission-world.ts';

sendWrongRequests();

const SOURCES = globSync('{src,packages/sandbox/src}/**/*.ts').map((path) =>
  readFileSync(path, 'utf8'),
);

interface Endpoint {
  readonly endpoint: { readonly DEFAULTS: { readonly method: string; readonly url: string } };
}

/** The writes by octokit's methods, such as `pulls.create`, and by their routes. */
function writesIn(text: string): string[] {
  const rest = new ProbotOctokit().rest as unknown as Record<string, Record<string, Endpoint>>;
  const called = [...text.matchAll(/\b([a-z]+)(?=\.([a-z]\w+)\b)/g)].flatMap(
    ([, area = '', name = '']) => {
      const found = Object.hasOwn(rest, area) ? rest[area]?.[name]?.endpoint.DEFAULTS : undefined;
      return found === undefined || found.method === 'GET' ? [] : `${found.method} ${found.url}`;
    },
  );
  const named = [...text.matchAll(/request\(\s*'((?:POST|PUT|PATCH|DELETE) [^']+)'/g)];
  return [...called, ...named.map(([, route = '']) => route)];
}

/** `mutation …` and `query Type.field` of each document. */
function fieldsIn(text: string): string[] {
  const documents = [...text.matchAll(/`((?:query|mutation) \([^`]*)`/g)].map(([, one = '']) =>
    one.replaceAll(/\$\{\w+\}/g, '__typename'),
  );
  return documents.flatMap((document) =>
    parse(document).definitions.flatMap((definition) => {
      if (definition.kind !== 'OperationDefinition') return [];
      const top = definition.selectionSet.selections.filter((one) => one.kind === 'Field');
      if (definition.operation === 'mutation')
        return top.map(({ name }) => `mutation ${name.value}`);
      const below = top
        .filter(({ name }) => name.value === 'repository')
        .flatMap(({ selectionSet }) => selectionSet?.selections ?? [])
        .filter((one) => one.kind === 'Field' && one.name.value !== '__typename')
        .filter((one) => one.kind === 'Field');
      return [
        ...top.map(({ name }) => `query Query.${name.value}`),
        ...below.map(({ name }) => `query Repository.${name.value}`),
      ];
    }),
  );
}

const isLast = ({ request }: { readonly request: string }): boolean =>
  /^DELETE .*\{comment_id\}$/.test(request);
const namesOf = (rows: readonly NeededPermission[]): string[] => rows.map(({ request }) => request);
const sorted = (all: Iterable<string>): string[] => [...new Set(all)].toSorted();
const ALL = [...REST_WRITES, ...GRAPHQL_FIELDS];

describe('the table of permissions', () => {
  it('has a row for each write by REST that we send, and no other', () => {
    expect(sorted(namesOf(REST_WRITES))).toEqual(sorted(SOURCES.flatMap(writesIn)));
  });

  it('has a row for each mutation and each field of GraphQL that we send, and no other', () => {
    expect(sorted(namesOf(GRAPHQL_FIELDS))).toEqual(sorted(SOURCES.flatMap(fieldsIn)));
  });

  it('has each request once, and for each a source', () => {
    expect(new Set(namesOf(ALL)).size).toBe(ALL.length);
    for (const { source } of ALL) expect(source).toMatch(/^https:\/\/\S+$/);
  });

  it.each(ALL)(
    'asks for $request for no more than the token has',
    ({ by, needs, onPullRequest }) => {
      for (const purpose of by) {
        const granted =
          purpose in PURPOSES ? PURPOSES[purpose as keyof typeof PURPOSES] : undefined;
        if (granted === undefined) continue;
        expect(compared(needs, granted).missing).toEqual([]);
        expect(compared(onPullRequest ?? {}, granted).missing).toEqual([]);
      }
    },
  );

  it('has purposes with permissions that one of their requests needs', () => {
    const threads = ALL.filter(({ by }) => by.includes('threads') || by.includes('ready'));
    for (const { needs } of threads)
      expect(needs).toEqual({ pull_requests: 'write', contents: 'write' });
  });
});

describe('the local GitHub', () => {
  let world: PermissionWorld;
  beforeAll(async () => {
    world = await openPermissionWorld();
  });
  afterAll(() => world.close());

  /** Those that an installation's token sends, and what they need there. */
  const cases = ALL.filter(({ by }) => by.every((one) => one in PURPOSES))
    .flatMap(({ request, needs, onPullRequest }) => [
      { request, needs, on: 'issue' as const },
      ...(onPullRequest === undefined
        ? []
        : [{ request, needs: onPullRequest, on: 'pull request' as const }]),
    ])
    // The deletion of a comment is the last thing that happens to it.
    .toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)));

  it.each(cases)(
    'asks for what the table says: $request, for an $on',
    async ({ request, needs, on }) => {
      const each = Object.entries(needs).filter(([name]) => name !== 'metadata');
      const denials = each.map(([name, level]) =>
        world.isDenied(request, on, world.without(name, level)),
      );
      await expect(Promise.all(denials)).resolves.toEqual(each.map(() => true));
      await expect(world.isDenied(request, on, needs)).resolves.toBe(false);
    },
  );
});
