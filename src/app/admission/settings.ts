import { GitHubDenied } from '../../github/errors.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { TellPerson } from '../../lib/errors.ts';
import type { RepositoryRef } from '../../contracts/intent.ts';
import {
  DEFAULT_LABEL,
  SETTINGS_FILE,
  type RepositorySettings,
} from '../../session/settings/index.ts';
import { REVIEW_ROUNDS } from '../../session/settings/fields.ts';
import {
  readSettings,
  type ReadSettings,
  type SettingsLayer,
} from '../../session/settings/read.ts';

type Files = Pick<GitHubRepository, 'readFile' | 'ownersFile'> & WithLayer;

/** What a person gives to a run by hand. */
interface WithLayer {
  readonly settingsLayer?: SettingsLayer | undefined;
}

/** The settings, and those that are ignored. */
export type FollowedSettings = Extract<ReadSettings, { settings: unknown }>;

const OWNERS_REPOSITORY = '.github';

/**
 * The settings of a repository: its own file over that of its owner.
 * @throws {TellPerson} for settings that no run may begin with
 */
export async function settingsFor(
  github: Files,
  repository: RepositoryRef,
): Promise<FollowedSettings> {
  const read = await readBoth(github, repository, github.settingsLayer);
  if ('settings' in read) return read;
  throw new TellPerson(`${read.file} is invalid: ${read.fault}`);
}

/** The settings that decide who may ask for what. */
export interface Rules {
  /** The label that starts work. */
  readonly label: string;
  /** The issue types that do, too. */
  readonly types: readonly string[];
  /** The lowest role that may request work. */
  readonly who: RepositorySettings['who'];
  readonly authorAnswers: boolean;
  /** Comments in the conversation of its own pull request request work without a mention. */
  readonly heedsAllComments: boolean;
  /** How long single comments on lines are gathered. */
  readonly commentWaitMs: number;
  /** Whether GitHub may be told to merge when ready, and how. */
  readonly mergeWhenReady: RepositorySettings['merge_when_ready'];
  /** Whether a sub-issue begins at the pull request of the one before it. */
  readonly stacksSubIssues: boolean;
  readonly review: RepositorySettings['review'];
  /** Runs for what was pushed after a review, one after the other, until a person asks again. */
  readonly reviewRounds: number;
}

/** If the settings are invalid, as much of them as is readable: then no run starts. */
export async function rulesFor(github: Files, repository: RepositoryRef): Promise<Rules> {
  try {
    const read = await readBoth(github, repository);
    if ('fault' in read) return { ...DEFAULT_RULES, label: read.label, who: read.who };
    const { label, on, who, answers_from: answers, comment_wait: wait } = read.settings;
    return {
      label,
      types: on,
      who,
      authorAnswers: answers === 'author',
      heedsAllComments: read.settings.on_pull_request_comments === 'all',
      commentWaitMs: wait * 1000,
      mergeWhenReady: read.settings.merge_when_ready,
      stacksSubIssues: read.settings.sub_issues === 'on_top',
      review: read.settings.review,
      reviewRounds: read.settings.limits.review_rounds ?? REVIEW_ROUNDS,
    };
  } catch (error) {
    // The run says what is wrong with the file.
    if (error instanceof TellPerson && !(error instanceof GitHubDenied)) return DEFAULT_RULES;
    throw error;
  }
}

const DEFAULT_RULES: Rules = {
  label: DEFAULT_LABEL,
  types: [],
  who: 'write',
  authorAnswers: false,
  heedsAllComments: false,
  commentWaitMs: 20_000,
  mergeWhenReady: false,
  stacksSubIssues: false,
  review: { when: 'requested', drafts: true, may: 'comment' },
  reviewRounds: REVIEW_ROUNDS,
};

async function readBoth(
  github: Files,
  { owner, name }: RepositoryRef,
  layer?: SettingsLayer,
): Promise<ReadSettings> {
  const repository = `${owner}/${OWNERS_REPOSITORY}`;
  const isOwners = name.toLowerCase() === OWNERS_REPOSITORY;
  const [own, owners] = await Promise.all([
    github.readFile(SETTINGS_FILE),
    isOwners ? undefined : github.ownersFile(SETTINGS_FILE).catch(unreadable),
  ]);
  if (typeof owners !== 'object') return readSettings(own, { text: owners, repository }, layer);
  const read = readSettings(own);
  const { label, who } = 'settings' in read ? read.settings : read;
  return { fault: owners.fault, file: `The settings file in \`${repository}\``, label, who };
}

/** A directory, say, or a file that is too long: what its owner meant is not known. */
function unreadable(error: unknown): { readonly fault: string } {
  if (error instanceof TellPerson && !(error instanceof GitHubDenied))
    return { fault: error.message };
  throw error;
}
