// Changes as git writes them, for the media types `diff` and `patch` (rule `diff-media-types`).
import { pullFacts } from '../git/pull.ts';
import type { PullRequest, Repository } from '../state.ts';

export type PatchFormat = 'diff' | 'patch';

/** Reads `application/vnd.github.diff` and `application/vnd.github.v3.patch`. */
export function patchAskedFor(accept = ''): PatchFormat | undefined {
  const [, format] = /\bapplication\/vnd\.github(?:\.v3)?\.(diff|patch)\b/.exec(accept) ?? [];
  return format === 'diff' || format === 'patch' ? format : undefined;
}

/** From one commit to another, both named by full hashes: what changed, or an email for each of the `commits`. */
export async function patchAnswer(
  { git }: Repository,
  { from, to, commits }: { from: string; to: string; commits?: readonly string[] },
  format: PatchFormat,
) {
  const range = commits ?? [`${from}..${to}`];
  const emails = ['format-patch', '--stdout', '--no-signature', '-M', ...range];
  const args = format === 'patch' ? emails : ['diff', '--no-color', '-M', from, to];
  const body = (await git.fixed(args)).toString();
  return {
    status: 200,
    body,
    headers: {
      'content-type': `application/vnd.github.v3.${format}; charset=utf-8`,
      'x-github-media-type': `github.v3; param=${format}`,
    },
  };
}

export async function pullPatch(repository: Repository, pull: PullRequest, format: PatchFormat) {
  const { startSha, headSha } = await pullFacts(repository, pull);
  return patchAnswer(repository, { from: startSha, to: headSha }, format);
}
