import { createHash } from 'node:crypto';
import type { ProbotOctokit } from 'probot';
import type { RepositoryRef } from '../../contracts/intent.ts';
import { TryLater } from '../../lib/errors.ts';
import type { Redactor } from '../../lib/text/redact.ts';
import { GitHubDenied, RenderingFailed, NoAccess } from '../errors.ts';
import { faultIn } from './rendering-check.ts';
import type { AllowsHost } from './links.ts';

/** Asks GitHub how it shows a Markdown text in a repository. Writes nothing. */
export async function renderMarkdown(
  octokit: ProbotOctokit,
  { owner, name }: Pick<RepositoryRef, 'owner' | 'name'>,
  text: string,
): Promise<string> {
  const { data } = await octokit.rest.markdown.render({
    text,
    mode: 'gfm',
    context: `${owner}/${name}`,
    request: { repeatable: true },
  });
  return data;
}

/**
 * Why a text may not be published, as GitHub shows it; `undefined` if it may. `mentions`: who may be notified.
 * @throws {RenderingFailed}
 */
export type CheckRendering = (
  markdown: string,
  mentions: readonly string[],
) => Promise<string | undefined>;

/** What was found, by digest of the text; the oldest goes first. */
export type Verdicts = Map<string, string | undefined>;
const MOST_VERDICTS = 5000;

interface CheckParts {
  readonly octokit: ProbotOctokit;
  readonly repository: RepositoryRef;
  readonly links: AllowsHost;
  readonly redactor: Pick<Redactor, 'redact'>;
  /** Shared by all checks of a process. */
  readonly verdicts: Verdicts;
}

/** Asks GitHub once for each text. */
export function createRenderingCheck(parts: CheckParts): CheckRendering {
  const { octokit, repository, links, redactor, verdicts } = parts;
  return async (markdown, mentions) => {
    const about = JSON.stringify([repository.owner, repository.name, mentions, markdown]);
    const digest = createHash('sha256').update(about).digest('base64');
    if (verdicts.has(digest)) return verdicts.get(digest);
    const html = await rendered(markdown);
    if (html === undefined) return 'GitHub does not render it';
    const fault = faultIn(html, { mentions, links, redactor });
    verdicts.set(digest, fault);
    const [oldest] = verdicts.keys();
    if (verdicts.size > MOST_VERDICTS && oldest !== undefined) verdicts.delete(oldest);
    return fault;
  };

  async function rendered(markdown: string): Promise<string | undefined> {
    try {
      return await renderMarkdown(octokit, repository, markdown);
    } catch (error) {
      if (error instanceof GitHubDenied) return undefined;
      if (!(error instanceof TryLater) || error instanceof NoAccess) throw error;
      const { message, retryAfterMs } = error;
      throw new RenderingFailed(message, { cause: error, retryAfterMs });
    }
  }
}
