// The definition of a REST route: its path, who may call it, and what it answers.
import type { z } from 'zod';
import type { Actor, Authentication } from '../auth.ts';
import { GitHubError } from '../github-error.ts';
import type { Registrations } from '../registrations.ts';
import type { Hub } from '../hub.ts';
import type { Bodies } from '../payloads/body.ts';
import type { PatchFormat } from '../payloads/patch.ts';
import type { Repository, Role, User } from '../state.ts';

export interface Services extends Hub {
  readonly authentication: Authentication;
  readonly registrations: Registrations;
}

export interface RestRequest {
  readonly services: Services;
  readonly actor: Actor;
  readonly params: Record<string, string>;
  readonly query: Record<string, string>;
  readonly body: unknown;
  readonly method: string;
  /** The requested path, with the prefix and without the query. */
  readonly path: string;
  /** The media type that the Accept header asks for. */
  readonly bodies: Bodies;
  /** If it asks for changes as git writes them. */
  readonly patch: PatchFormat | undefined;
  /** Whether the Accept header asks for a file as it is. */
  readonly isRaw: boolean;
}

export interface RestAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The most bytes of a body; 1 MiB by default. */
  readonly bodyLimit?: number;
  /** It counts for no limit. */
  readonly isFree?: true;
  readonly handle: (request: RestRequest) => RestAnswer | Promise<RestAnswer>;
}

/** A call about one repository, by a caller who is allowed to make it. */
export interface RepositoryRequest extends RestRequest {
  readonly repository: Repository;
  readonly user: User;
}

export interface RepositoryRoute {
  readonly method: Route['method'];
  /** Below `/repos/:owner/:repo`. */
  readonly path: string;
  /** The permission that an installation token needs, such as `issues:write`. */
  readonly permission: string | ((request: RestRequest, repository: Repository) => string);
  /** The role that a person needs; `read` by default. */
  readonly role?: Role;
  /** The most bytes of a body; 1 MiB by default. */
  readonly bodyLimit?: number;
  readonly handle: (request: RepositoryRequest) => RestAnswer | Promise<RestAnswer>;
}

/** Parses a request's body. Throws GitHub's 422 with the first fault. */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body ?? {});
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  const code = issue?.code === 'invalid_type' ? 'missing_field' : 'invalid';
  throw new GitHubError('invalid-body', 422, 'Validation Failed', [
    { resource: 'Request', field, code, message: issue?.message },
  ]);
}

export const ok = (body: unknown): RestAnswer => ({ status: 200, body });
export const created = (body: unknown): RestAnswer => ({ status: 201, body });
export const noContent: RestAnswer = { status: 204 };

/** Parses a positive integer of the path. Throws GitHub's 404 for anything else. */
export function numberParam(request: RestRequest, name: string): number {
  const text = request.params[name] ?? '';
  if (!/^\d{1,15}$/.test(text)) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return Number(text);
}

const DEFAULT_PAGE_SIZE = 30;
const MAX_PAGE_SIZE = 100;

/** One page of a list, with a Link header for the other pages. */
export function page<T>(
  request: RestRequest,
  items: readonly T[],
  present: (item: T) => unknown,
): RestAnswer & { readonly body: unknown[] } {
  const size = Math.min(positive(request.query['per_page'], DEFAULT_PAGE_SIZE), MAX_PAGE_SIZE);
  const current = positive(request.query['page'], 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const body = items.slice((current - 1) * size, current * size).map(present);
  const links = [
    ...(current > 1 ? [linkTo(request, Math.min(current - 1, last), 'prev')] : []),
    ...(current < last
      ? [linkTo(request, current + 1, 'next'), linkTo(request, last, 'last')]
      : []),
    ...(current > 1 ? [linkTo(request, 1, 'first')] : []),
  ];
  return { status: 200, body, headers: links.length === 0 ? {} : { link: links.join(', ') } };
}

/**
 * One page of a list that grows at its beginning: the pages are named by the item that they begin with, so that
 * new ones move none. Throws GitHub's 422 for a cursor that it did not give.
 */
export function pageByCursor<T extends { readonly id: number }>(
  request: RestRequest,
  items: readonly T[],
  present: (item: T) => unknown,
): RestAnswer {
  const size = Math.min(positive(request.query['per_page'], DEFAULT_PAGE_SIZE), MAX_PAGE_SIZE);
  const { cursor } = request.query;
  const [, id] = /^v1_(\d{1,15})$/.exec(cursor ?? '') ?? [];
  if (cursor !== undefined && id === undefined)
    throw new GitHubError('delivery-cursor', 422, 'Invalid cursor');
  const from = id === undefined ? items : items.filter((item) => item.id <= Number(id));
  const next = from[size];
  const link =
    next === undefined ? {} : { link: linkWith(request, { cursor: `v1_${next.id}` }, 'next') };
  return { status: 200, body: from.slice(0, size).map(present), headers: link };
}

/** One page of a list below a name, with the count of all. Presents the items of the page only. */
export async function namedPage<T>(
  request: RestRequest,
  name: string,
  items: readonly T[],
  present: (item: T) => unknown,
): Promise<RestAnswer> {
  const answer = page(request, items, present);
  const body = await Promise.all(answer.body);
  return { ...answer, body: { total_count: items.length, [name]: body } };
}

function positive(text: string | undefined, otherwise: number): number {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : otherwise;
}

const linkTo = (request: RestRequest, number: number, relation: string): string =>
  linkWith(request, { page: String(number) }, relation);

function linkWith(
  request: RestRequest,
  changes: Readonly<Record<string, string>>,
  relation: string,
): string {
  const query = new URLSearchParams({ ...request.query, ...changes });
  return `<${request.services.world.url}${request.path}?${query.toString()}>; rel="${relation}"`;
}
