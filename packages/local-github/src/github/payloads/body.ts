// A body in the requested media type: Markdown, HTML, plain text, or all of them.
import type { Surroundings } from '../markdown/index.ts';
import { renderMarkdown, renderText } from '../markdown/index.ts';
import type { Repository } from '../state.ts';
import { isPull } from '../state.ts';
import type { World } from '../world.ts';

const BODIES = ['raw', 'text', 'html', 'full'] as const;
export type Bodies = (typeof BODIES)[number];

/** Reads `application/vnd.github.full+json` and its siblings (rule `media-types`). */
export const bodiesAskedFor = (accept = ''): Bodies =>
  BODIES.find((name) =>
    new RegExp(`\\bapplication/vnd\\.github(?:\\.v3)?\\.${name}\\+json`).test(accept),
  ) ?? 'raw';

/** The media type for a file as it is: rule `raw-contents`. */
export const asksForRaw = (accept = ''): boolean =>
  /\bapplication\/vnd\.github(?:\.v3)?\.raw\b/.test(accept);

export function mediaType(accept: string | undefined): string {
  const bodies = bodiesAskedFor(accept);
  return bodies === 'raw' ? 'github.v3; format=json' : `github.v3; param=${bodies}; format=json`;
}

/** The people and issues that a text in the repository can link to. */
export const surroundings = (world: World, repository: Repository | undefined): Surroundings => ({
  url: world.url,
  repository: repository?.fullName,
  imageAddress: (address) => world.attachments.shown(address, world.url),
  findUser: (login) => {
    const user = world.user(login);
    return user?.type === 'Bot' ? undefined : user?.login;
  },
  findIssue: (fullName, number) => {
    const found = world.repositories.get(fullName.toLowerCase());
    const issue = found?.issues.find((one) => one.number === number);
    if (found === undefined || issue === undefined) return undefined;
    return { kind: isPull(issue) ? 'pull' : 'issues', repository: found.fullName, id: issue.id };
  },
});

/** A payload with the requested bodies. A text that is null stays null in each: rule `body-html-null`. */
export function withBodies<T extends { readonly body: string | null }>(
  payload: T,
  bodies: Bodies,
  world: World,
  repository: Repository,
) {
  if (bodies === 'raw') return payload;
  const { body, ...rest } = payload;
  const around = surroundings(world, repository);
  const html = () => (body === null ? null : renderMarkdown(body, 'gfm', around));
  const text = () => (body === null ? null : renderText(body, around));
  if (bodies === 'html') return { ...rest, body_html: html() };
  if (bodies === 'text') return { ...rest, body_text: text() };
  return { ...payload, body_html: html(), body_text: text() };
}
