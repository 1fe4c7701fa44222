// The labels of a repository.
import type { ProbotOctokit } from 'probot';
import { hasEmoji, isSameLabel } from '../session/same-label.ts';

const PAGE = 100;

interface Place {
  readonly octokit: ProbotOctokit;
  readonly at: { readonly owner: string; readonly repo: string };
}

/** The name on GitHub of a label that a setting names, which may write its emoji in another way. */
export async function labelOnGitHub({ octokit, at }: Place, wanted: string): Promise<string> {
  if (!hasEmoji(wanted)) return wanted;
  const labels = await octokit.paginate(octokit.rest.issues.listLabelsForRepo, {
    ...at,
    per_page: PAGE,
  });
  const names = labels.map(({ name }) => name).filter((name) => isSameLabel(name, wanted));
  return names.find((name) => name === wanted) ?? names[0] ?? wanted;
}
