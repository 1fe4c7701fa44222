// The address of an issue or a repository on GitHub, as people copy it from a browser.

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
