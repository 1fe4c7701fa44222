// Texts as they are sent to GitHub, with the local GitHub to render them.
import {
  renderMarkdown,
  type Surroundings,
} from '../../packages/local-github/src/github/markdown/index.ts';
import { publicBody, type Gate } from '../../src/github/gate.ts';
import { faultIn, type CheckRendering } from '../../src/github/text/rendering-check.ts';
import { hostPolicy } from '../../src/github/text/links.ts';
import { createRedactor, type Redactor } from '../../src/lib/text/redact.ts';
import type { Body } from '../../src/session/texts/markdown.ts';

/** A repository in which everyone can be mentioned, and every number is an issue. */
const AROUND: Surroundings = {
  imageAddress: (address) => address,
  url: 'https://github.com',
  repository: 'example/words',
  findUser: (login) => login,
  findIssue: (repository, id) => ({ kind: 'issues', repository, id }),
};

export const asGitHubShows = (markdown: string): string => renderMarkdown(markdown, 'gfm', AROUND);

export const links = hostPolicy(['github.com', '*.example.com']);

export const checkBy =
  (
    render: (markdown: string) => string,
    redactor: Pick<Redactor, 'redact'> = createRedactor(),
  ): CheckRendering =>
  async (markdown, mentions) =>
    faultIn(render(markdown), { mentions, links, redactor });

interface PublishOptions {
  readonly mentions?: readonly string[];
  readonly closes?: number;
  readonly whole?: string;
  readonly redactor?: Redactor;
  readonly gate?: Partial<Gate>;
}

const MARKER = /\n\n<!-- issuewright:5:status -->$/;

/** What people read of a comment, without its marker. */
export async function published(body: Body, options: PublishOptions = {}): Promise<string> {
  const { redactor = createRedactor(), gate = {}, ...allowed } = options;
  const cleaner = { redactor, links, check: checkBy(asGitHubShows, redactor), ...gate };
  const text = await publicBody({ session: '5', key: 'status', body, ...allowed }, cleaner);
  if (!MARKER.test(text)) throw new Error(`no marker at the end of ${text}`);
  return text.replace(MARKER, '');
}
