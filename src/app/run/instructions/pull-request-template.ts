import { TellModel, TellPerson, TryLater, unless } from '../../../lib/errors.ts';
import { pullRequestTemplate } from '../../../agent/prompts/notices.ts';
import type { Notice } from '../../../agent/agent-run.ts';
import type { Session } from '../../../session/session.ts';
import type { Files } from '../../../contracts/files.ts';
import {
  readInstruction,
  shownInstructions,
  type InstructionFile,
  type InstructionSource,
} from './repository-instructions.ts';

const TOPIC = 'pull-request-template';
/** Where GitHub looks for one, in its order. */
const FOLDERS = ['.github', '.', 'docs'];
const NAME = /^pull_request_template(?:\.(?:md|txt))?$/i;
const MAX_BYTES = 8 * 1024;

export interface TemplateParts extends InstructionSource {
  /** The workspace's: tells whether there is one. What it says comes from the default branch. */
  readonly files: Pick<Files, 'list'>;
  readonly tracker: { readonly session: Session };
}

/**
 * What to tell the model of the repository's form for pull requests, while none is open. Not in the
 * first request: a run that only asks or answers does not need it, and no run opens one before it has
 * read anything.
 */
export function templateNotices(parts: TemplateParts): () => Promise<readonly Notice[]> {
  let known: readonly Notice[] | undefined;
  return async () => {
    const {
      run,
      thread: { pullRequest },
    } = parts.tracker.session;
    if (pullRequest?.state === 'open' || (run?.turns ?? 0) === 0) return [];
    try {
      known ??= (await readTemplate(parts)).map(notice);
    } catch (error) {
      if (error instanceof TryLater) return [];
      if (!(error instanceof TellPerson)) throw error;
      known = [];
    }
    return known;
  };
}

/** Its questions are often HTML comments: whoever opens a pull request by hand sees them while writing. */
async function readTemplate(parts: TemplateParts): Promise<readonly InstructionFile[]> {
  for (const folder of FOLDERS) {
    const name = (await namesIn(parts.files, folder)).find((candidate) => NAME.test(candidate));
    const path = folder === '.' ? name : `${folder}/${name}`;
    if (name === undefined || path === undefined) continue;
    const file = await readInstruction(parts, path, { hasComments: true });
    return file === undefined ? [] : [file];
  }
  return [];
}

const namesIn = async (files: Pick<Files, 'list'>, folder: string): Promise<readonly string[]> =>
  ((await unless(TellModel, files.list(folder))) ?? []).map(({ name }) => name);

const notice = (file: InstructionFile): Notice => ({
  topic: TOPIC,
  text: pullRequestTemplate(file.path, shownInstructions(file, MAX_BYTES)),
});
