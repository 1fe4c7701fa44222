// Requests to GitHub as they are, without retries and in nobody's words, so that a proof can show what GitHub answered.
import { API_VERSION } from '../../github/requests/octokit.ts';
import { addressesOf, type Enterprise } from '../../github/addresses.ts';
import { reasonOf } from '../../lib/reason.ts';
import { cutCharacters } from '../../lib/text/text.ts';

/** What GitHub answered to one request. */
export interface GitHubAnswer {
  /** `POST /repos/OWNER/NAME/pulls`, or the name of a mutation. */
  readonly request: string;
  /** 0: there was no answer. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  /** GitHub's message, if it denied the request. */
  readonly message: string;
}

export interface Asker {
  /** A path that begins with no `/` is below the repository. */
  rest(method: string, path: string, options?: RestOptions): Promise<GitHubAnswer>;
  /** A denial has the status 403 here, whatever the status of the response: GraphQL answers 200. */
  graphql(query: string, variables: Readonly<Record<string, unknown>>): Promise<GitHubAnswer>;
}

interface RestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AskerOptions {
  readonly enterprise: Enterprise;
  readonly repository: { readonly owner: string; readonly name: string };
  readonly token: () => Promise<string>;
  readonly signal: AbortSignal;
  /** Told of each answer. */
  readonly heard: (answer: GitHubAnswer) => void;
}

const TIMEOUT_MS = 20_000;
const LONGEST_MESSAGE = 300;

export function askerFor(options: AskerOptions): Asker {
  const { baseUrl } = addressesOf(options.enterprise);
  const { owner, name } = options.repository;
  const send = async (request: string, url: string, init: RequestInit): Promise<GitHubAnswer> => {
    const answer = await answerTo(request, url, options, init);
    options.heard(answer);
    return answer;
  };
  return {
    rest: (method, path, { body, headers = {} } = {}) => {
      const full = path.startsWith('/')
        ? path
        : `/repos/${owner}/${name}/${path}`.replace(/\/$/, '');
      const content = body === undefined ? {} : { body: JSON.stringify(body) };
      return send(`${method} ${full}`, `${baseUrl}${full}`, {
        method,
        headers: { ...headers },
        ...content,
      });
    },
    graphql: async (query, variables) => {
      const url = `${baseUrl.replace(/\/v3$/, '')}/graphql`;
      const body = JSON.stringify({ query, variables });
      // The first field that is asked for: a mutation has one.
      const field = /\{\s*(\w+)/.exec(query)?.[1] ?? 'query';
      return send(`GraphQL ${field}`, url, { method: 'POST', body });
    },
  };
}

async function answerTo(
  request: string,
  url: string,
  { token, signal }: AskerOptions,
  init: RequestInit,
): Promise<GitHubAnswer> {
  signal.throwIfAborted();
  const headers = {
    accept: 'application/vnd.github+json',
    'x-github-api-version': API_VERSION,
    'user-agent': 'issuewright-prove',
    authorization: `Bearer ${await token()}`,
    ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(init.headers as Record<string, string> | undefined),
  };
  const ends = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await fetch(url, { ...init, headers, signal: ends, redirect: 'manual' });
    const body = parsed(await response.text());
    const denial = denialIn(body);
    const isGraphqlDenial =
      typeof body === 'object' && body !== null && 'errors' in body && !('message' in body);
    const status = response.ok && isGraphqlDenial ? 403 : response.status;
    return { request, status, headers: response.headers, body, message: denial };
  } catch (error) {
    if (signal.aborted) throw error;
    return { request, status: 0, headers: new Headers(), body: null, message: reasonOf(error) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function denialIn(body: unknown): string {
  const { message, errors } = Object(body) as { message?: unknown; errors?: unknown };
  const texts = [message, ...(Array.isArray(errors) ? errors.map(errorText) : [])];
  const said = texts.filter((one): one is string => typeof one === 'string').join('; ');
  return cutCharacters(said.replaceAll(/\s+/g, ' '), LONGEST_MESSAGE);
}

function errorText(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { message, code, field } = error as Readonly<Record<string, unknown>>;
  return message ?? [field, code].filter((one) => typeof one === 'string').join(' ');
}

/** The value at a path of names and indices in what GitHub answered; `undefined` if it is not there. */
export function valueIn(body: unknown, ...path: readonly (string | number)[]): unknown {
  let value = body;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[step];
  }
  return value;
}
