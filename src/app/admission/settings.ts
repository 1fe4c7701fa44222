import { GitHubDenied } from '../../github/errors.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { TellPerson } from '../../lib/errors.ts';
import type { RepositoryRef } from '../../contracts/intent.ts';
import {
  repositorySettingsSchema,
  SETTINGS_FILE,
  type RepositorySettings,
} from '../../session/settings/index.ts';
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
export type Rules = Pick<
  RepositorySettings,
  | 'label'
  | 'on'
  | 'who'
  | 'answers_from'
  | 'on_pull_request_comments'
  | 'comment_wait'
  | 'merge_when_ready'
  | 'sub_issues'
  | 'review'
  | 'limits'
>;

/** If the settings are invalid, as much of them as is readable: then no run starts. */
export async function rulesFor(github: Files, repository: RepositoryRef): Promise<Rules> {
  try {
    const read = await readBoth(github, repository);
    return 'settings' in read ? read.settings : { ...DEFAULTS, label: read.label, who: read.who };
  } catch (error) {
    // The run says what is wrong with the file.
    if (error instanceof TellPerson && !(error instanceof GitHubDenied)) return DEFAULTS;
    throw error;
  }
}

const DEFAULTS = repositorySettingsSchema.parse({});

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
