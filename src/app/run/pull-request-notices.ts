import type { Notice } from '../../agent/agent-run.ts';
import { continuedNotice } from '../../agent/prompts/notices.ts';
import { pullRequestContents } from '../../agent/prompts/others-pull-request.ts';
import type { Forge } from '../../contracts/forge.ts';
import type { Session } from '../../session/session.ts';
import { diffText } from '../../tools/git/diff-text.ts';
import { templateNotices, type TemplateParts } from './instructions/pull-request-template.ts';

/** Characters. */
const MAX_DIFF = 24_000;

interface Parts extends TemplateParts {
  readonly forge: Pick<Forge, 'branchChange'>;
}

/** What to tell the model of pull requests: of someone else's that it works on, or how its own should look. */
export const pullRequestNotices = (parts: Parts): (() => Promise<readonly Notice[]>) =>
  parts.tracker.session.thread.adopted === undefined ? templateOf(parts) : contents(parts);

/** What runs by hand before this one left, once in each run. */
export const continuedNotices = ({ thread, run }: Session): readonly Notice[] => {
  if (thread.byHand?.continues !== true) return [];
  const text = continuedNotice(thread.pullRequest?.number);
  return [{ topic: `continued:${run?.number ?? 0}`, text }];
};

/** In a folder, nothing becomes a pull request. */
const templateOf = (parts: Parts): (() => Promise<readonly Notice[]>) =>
  parts.tracker.session.thread.folder === undefined
    ? templateNotices(parts)
    : () => Promise.resolve([]);

/** Once in each run. */
function contents({ tracker, forge, redact }: Parts): () => Promise<readonly Notice[]> {
  let known: readonly Notice[] | undefined;
  return async () => {
    const { run, thread } = tracker.session;
    if (thread.adopted === undefined) return [];
    if (known !== undefined) return known;
    const { commits, files } = await forge.branchChange();
    const diff = redact(diffText(files, MAX_DIFF));
    const text = pullRequestContents(thread.adopted, commits, diff);
    known = [{ topic: `pull-request:${run?.number ?? 0}`, text }];
    return known;
  };
}
