// Turns @names and #numbers into links with GitHub's classes. Only if they exist (rule `markdown-of-github`).
import type { Element, ElementContent, Text } from 'hast';

/** What the renderer needs to know about the repository of the text. */
export interface Surroundings {
  /** The address of the server, without a trailing slash. */
  readonly url: string;
  /** The repository of `#1`, as `owner/name`. */
  readonly repository: string | undefined;
  /** The address of an image as a page has it. */
  readonly imageAddress: (address: string) => string;
  /** The login with its original case. */
  readonly findUser: (login: string) => string | undefined;
  readonly findIssue: (
    repository: string,
    number: number,
  ) =>
    | { readonly kind: 'issues' | 'pull'; readonly repository: string; readonly id: number }
    | undefined;
}

const NAMES =
  /(?<![\w@/.-])@(?<login>[a-z\d][a-z\d-]{0,38})(?![\w/-])|(?<![\w/#-])(?<repository>[\w-]{1,39}\/[\w.-]{1,100})?(?:#|(?<=^|\s)GH-)(?<number>\d{1,9})(?!\w)/gi;

export function linkReferences(text: string, around: Surroundings): ElementContent[] {
  const parts: ElementContent[] = [];
  let end = 0;
  for (const match of text.matchAll(NAMES)) {
    const link = linkTo(match, around);
    if (link === undefined) continue;
    parts.push(textNode(text.slice(end, match.index)), link);
    end = match.index + match[0].length;
  }
  parts.push(textNode(text.slice(end)));
  return parts.filter((part) => part.type !== 'text' || part.value !== '');
}

export const textNode = (value: string): Text => ({ type: 'text', value });

function linkTo(match: RegExpExecArray, around: Surroundings): Element | undefined {
  const { login, repository = around.repository, number } = match.groups ?? {};
  if (login !== undefined) return mention(login, match[0], around);
  return repository === undefined
    ? undefined
    : issueLink(repository, Number(number), match[0], around);
}

/** Nothing may stand between the sign and the name (rule `no-mention-behind-nothing`). */
function mention(login: string, text: string, around: Surroundings): Element | undefined {
  const known = around.findUser(login);
  if (known === undefined) return undefined;
  const properties = {
    className: ['user-mention', 'notranslate'],
    dataHovercardType: 'user',
    dataHovercardUrl: `/users/${known}/hovercard`,
    dataOctoClick: 'hovercard-link-click',
    dataOctoDimensions: 'link_type:self',
    href: `${around.url}/${known}`,
  };
  return { type: 'element', tagName: 'a', properties, children: [textNode(text)] };
}

function issueLink(
  repository: string,
  number: number,
  text: string,
  around: Surroundings,
): Element | undefined {
  const issue = around.findIssue(repository, number);
  if (issue === undefined) return undefined;
  const path = `/${issue.repository}/${issue.kind}/${number}`;
  const properties = {
    className: ['issue-link', 'js-issue-link'],
    dataErrorText: 'Failed to load title',
    dataId: String(issue.id),
    dataPermissionText: 'Title is private',
    dataUrl: `${around.url}/${issue.repository}/issues/${number}`,
    dataHovercardType: issue.kind === 'pull' ? 'pull_request' : 'issue',
    dataHovercardUrl: `${path}/hovercard`,
    href: `${around.url}${path}`,
  };
  return { type: 'element', tagName: 'a', properties, children: [textNode(text)] };
}

/** A bare address of an issue is shown as its number, like `#1`. */
export function issueOfAddress(href: string, around: Surroundings): Element | undefined {
  if (!href.startsWith(`${around.url}/`)) return undefined;
  const found = /^\/([\w-]+\/[\w.-]+)\/(?:issues|pull)\/(\d{1,9})$/.exec(
    href.slice(around.url.length),
  );
  const [, repository, number] = found ?? [];
  if (repository === undefined) return undefined;
  const isHere = repository.toLowerCase() === around.repository?.toLowerCase();
  return issueLink(repository, Number(number), `${isHere ? '' : repository}#${number}`, around);
}
