// The address of an issue or a repository on GitHub, as people copy it from a browser.
import type { TokenConfig } from '../../config/by-token.ts';
import { addressesOf } from '../../github/addresses.ts';
import { TellPerson } from '../../lib/errors.ts';

export interface IssueAddress {
  /** Such as `https://github.com`. */
  readonly origin: string;
  readonly owner: string;
  readonly name: string;
  /** `undefined`: it is that of the repository. */
  readonly number: number | undefined;
}

const PATH = /^\/([\w-]+)\/([\w.-]+?)(?:\.git)?(?:\/(?:issues(?:\/([1-9]\d{0,8}))?)?)?\/?$/;

/** `undefined` if it is no such address. */
export function issueAddress(text: string): IssueAddress | undefined {
  const url = URL.parse(text);
  const [, owner, name, number] = PATH.exec(url?.pathname ?? '') ?? [];
  if (url === null || owner === undefined || name === undefined) return undefined;
  const { origin } = url;
  return { origin, owner, name, number: number === undefined ? undefined : Number(number) };
}

/** The token goes to no other host. */
export function requireOwnHost(
  what: 'issue' | 'repository',
  { origin }: IssueAddress,
  { enterprise }: Pick<TokenConfig, 'enterprise'>,
): void {
  const { url } = addressesOf(enterprise);
  if (origin === new URL(url).origin) return;
  throw new TellPerson(
    `The ${what} is on ${origin}, and GITHUB_TOKEN is for ${url}. For a GitHub Enterprise Server, set GHE_HOST to its host.`,
  );
}
