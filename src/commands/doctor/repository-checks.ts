import { rulesFor, settingsFor } from '../../app/admission/settings.ts';
import type { GitHub } from '../../github/index.ts';
import type { RepositorySetUp } from '../../github/set-up/repository-set-up.ts';
import { TellPerson, unless } from '../../lib/errors.ts';
import { MOST_REPOSITORIES, fault, hint, ok, warning } from './examination.ts';
import type {
  DoctorCheck,
  Examination,
  InstalledRepository,
  DoctorFinding,
} from './examination.ts';
import { spellCommand } from '../../lib/program-name.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const RIVAL_DAYS = 7;
/** For one registry. */
const REGISTRY_MS = 30_000;
/** Branches of sessions have names like this. */
const A_BRANCH = 'issuewright/1-doctor';
/** More repositories are counted. */
const MOST_NAMED = 3;

interface ExaminedRepository {
  readonly github: GitHub;
  readonly one: InstalledRepository;
  readonly setUp: RepositorySetUp;
  /** `owner/name` */
  readonly name: string;
  readonly url: string;
}

/** What a look at each repository found, in order. */
async function lookIn<T>(
  examination: Examination,
  look: (looked: ExaminedRepository) => Promise<T>,
): Promise<readonly T[]> {
  const { github } = examination;
  const found: T[] = [];
  for (const one of await examination.repositories()) {
    const { repository, installation } = one;
    const name = `${repository.owner}/${repository.name}`;
    const setUp = github.repositorySetUp(installation.id, repository);
    found.push(await look({ github, one, setUp, name, url: `${github.url}/${name}` }));
  }
  return found;
}

/** Looks at each repository. If nothing is wrong with any, that is one line, which is asked for in the end. */
async function inEach(
  examination: Examination,
  fine: string | (() => string),
  look: (looked: ExaminedRepository) => Promise<readonly DoctorFinding[]>,
): Promise<readonly DoctorFinding[]> {
  const looked = await lookIn(examination, look);
  const found = looked.flat();
  const first =
    looked.length === MOST_REPOSITORIES ? ` (the first ${MOST_REPOSITORIES} repositories)` : '';
  if (found.length > 0) return found;
  return [ok(`${typeof fine === 'string' ? fine : fine()}${first}.`)];
}

const filesOf = ({ github, one: { installation, repository } }: ExaminedRepository) =>
  github.repository(installation.id, repository);

const label: DoctorCheck = {
  name: 'label',
  cure: 'If GitHub is down, try again later',
  look: (examination) =>
    inEach(examination, 'Each repository has the label that starts work', async (looked) => {
      const { name, url, setUp, one } = looked;
      const rules = await rulesFor(filesOf(looked), one.repository);
      if (await setUp.hasLabel(rules.label)) return [];
      return [
        hint(
          `${name} has no label \`${rules.label}\` yet.`,
          `Create it at ${url}/labels, or run \`${spellCommand('doctor')} --fix\`. A mention of the App starts work too.`,
          async () => {
            await setUp.createLabel(rules.label);
            return `Created the label \`${rules.label}\` in ${name}.`;
          },
        ),
      ];
    }),
};

const repositorySettings: DoctorCheck = {
  name: 'repository settings',
  cure: 'If GitHub is down, try again later',
  look: (examination) =>
    inEach(examination, 'The settings of each repository are valid', async (looked) => {
      try {
        await settingsFor(filesOf(looked), looked.one.repository);
        return [];
      } catch (error) {
        if (!(error instanceof TellPerson)) throw error;
        return [
          fault(`${looked.name}: ${error.message}`, 'Correct the file on the default branch.'),
        ];
      }
    }),
};

const OF_IMAGES =
  'Correct `environment` or .devcontainer/devcontainer.json on the default branch; the operator corrects ENVIRONMENT_IMAGES and REGISTRY_AUTH_FILE.';

/** Asks registries for what describes the images, and downloads none. */
const environments: DoctorCheck = {
  name: 'environments',
  cure: 'If GitHub or a registry is down, try again later',
  look: async (examination) => {
    const { isAllowed, images } = examination.config.shell;
    if (!isAllowed || images.allowed.length === 0)
      return ok('No repository chooses an image for its commands (ENVIRONMENT_IMAGES is not set).');
    let chosen = 0;
    const fine = (): string =>
      chosen === 0
        ? 'No repository chooses an image for its commands'
        : `The registries have the images that repositories choose (${chosen})`;
    const { planEnvironment } = await import('../../app/run/plan/plan-environment.ts');
    const { findImage } = await import('../../workspace/images/image-store.ts');
    return inEach(examination, fine, async (looked) => {
      // The check `repository settings` says what is wrong with them.
      const read = await unless(TellPerson, settingsFor(filesOf(looked), looked.one.repository));
      if (read === undefined) return [];
      try {
        const { image } = await planEnvironment(filesOf(looked), read.settings, '/');
        if (image === undefined) return [];
        chosen += 1;
        await findImage(image, images, AbortSignal.timeout(REGISTRY_MS));
        return [];
      } catch (error) {
        if (!(error instanceof TellPerson)) throw error;
        return [fault(`${looked.name}: ${error.message}`, OF_IMAGES)];
      }
    });
  },
};

/** Rules of GitHub that deny what the agent pushes. */
const DENYING = new Map([
  ['creation', 'restricts new branches'],
  ['update', 'restricts pushes'],
  ['pull_request', 'requires a pull request for every change'],
  ['required_status_checks', 'requires passing checks before a push'],
  ['required_linear_history', 'blocks merges of the base branch'],
  ['commit_message_pattern', 'requires a commit-message pattern'],
  ['commit_author_email_pattern', 'requires an author-email pattern'],
  ['committer_email_pattern', 'requires a committer-email pattern'],
  ['branch_name_pattern', 'requires a branch-name pattern'],
]);

const rules: DoctorCheck = {
  name: 'rules',
  cure: 'If GitHub is down, try again later',
  look: (examination) =>
    inEach(examination, 'No rule blocks pushes to session branches', async (looked) => {
      const { name, setUp } = looked;
      const types = await setUp.rulesOf(A_BRANCH);
      const cure = `An administrator adds the App to the bypass list of the rule, or excludes \`issuewright/**\` from it: ${looked.url}/settings/rules.`;
      const denied = [...new Set(types)].flatMap((type) => {
        const words = DENYING.get(type);
        return words === undefined ? [] : [fault(`${name} ${words}.`, cure)];
      });
      return types.includes('required_signatures')
        ? [...denied, ...(await unsigned(looked))]
        : denied;
    }),
};

/** GitHub signs the commits that it makes itself; those that are pushed have no signature. */
async function unsigned(looked: ExaminedRepository): Promise<readonly DoctorFinding[]> {
  const { settings } = await settingsFor(filesOf(looked), looked.one.repository);
  if (settings.commits.publish !== 'push') return [];
  return [
    fault(
      `${looked.name} requires signed commits, and its setting \`commits.publish\` is \`push\`.`,
      'Set `commits.publish` to `auto` in .github/issuewright.yml: GitHub then signs the commits.',
    ),
  ];
}

const rivals: DoctorCheck = {
  name: 'rivals',
  cure: 'If GitHub is down, try again later',
  look: async (examination) => {
    const { login } = await examination.app();
    const { url: ours } = await examination.github.setUp.hook();
    const since = new Date(Date.now() - RIVAL_DAYS * DAY_MS);
    let unread = 0;
    const fine = (): string =>
      unread === 0
        ? 'No other App or webhook does the same work'
        : `No other App does the same work. Repository webhooks were not read: the App lacks \`repository_hooks: read\``;
    return inEach(examination, fine, async ({ name, url, setUp }) => {
      const others = await setUp.rivalsSince(since, login);
      const hooks = await setUp.webhooks();
      if (hooks === undefined) unread += 1;
      const twice = hooks?.filter((one) => one === ours) ?? [];
      return [
        ...others.map((other) =>
          fault(
            `Another App, ${other}, works on issues of ${name} too.`,
            `Uninstall one of them, or give each its own label in .github/issuewright.yml.`,
          ),
        ),
        ...twice.map(() =>
          warning(
            `${name} has its own webhook to the App's address.`,
            `Delete it at ${url}/settings/hooks: the App has one already.`,
          ),
        ),
      ];
    });
  },
};

const assign: DoctorCheck = {
  name: 'assign',
  cure: 'If GitHub is down, try again later',
  look: async (examination) => {
    const { assignee } = examination.config.github;
    if (assignee !== undefined) return takesAssignee(examination, assignee);
    const { login } = await examination.app();
    const answers = await lookIn(examination, async ({ name, setUp }) => ({
      name,
      isOffered: await setUp.canBeAssigned(login),
    }));
    return ok(whereAssignable(login, answers));
  },
};

interface AssigneeAnswer {
  /** `owner/name` */
  readonly name: string;
  /** Whether GitHub offers the App as an assignee; `undefined`: it does not say. */
  readonly isOffered: boolean | undefined;
}

function whereAssignable(login: string, answers: readonly AssigneeAnswer[]): string {
  const total = answers.length;
  const of = (wanted: boolean | undefined): string => {
    const names = answers.filter(({ isOffered }) => isOffered === wanted).map(({ name }) => name);
    if (names.length === total && total > 1) return `all ${total} repositories`;
    return names.length > MOST_NAMED ? `${names.length} repositories` : names.join(', ');
  };
  const [yes, no, unknown] = [of(true), of(false), of(undefined)];
  const first = total === MOST_REPOSITORIES ? 'the first ' : '';
  return [
    yes && `Issues of ${yes} can be assigned to ${login}.`,
    no &&
      `GitHub does not offer ${login} as an assignee for issues of ${no}, which is normal. Start work with the label or a mention, or set ASSIGNEE_LOGIN to an account that stands for the App.`,
    unknown &&
      `GitHub does not say whether issues of ${unknown} can be assigned to ${login}. The label and mentions start work.`,
    `Checked ${first}${total} ${total === 1 ? 'repository' : 'repositories'}.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

const takesAssignee = (
  examination: Examination,
  assignee: string,
): Promise<readonly DoctorFinding[]> =>
  inEach(
    examination,
    `Issues of each repository can be assigned to ${assignee}`,
    async ({ name, url, setUp }) =>
      (await setUp.takesAssignee(assignee))
        ? []
        : [
            fault(
              `Issues of ${name} cannot be assigned to ${assignee} (ASSIGNEE_LOGIN).`,
              `Give that account read access to the repository at ${url}/settings/access.`,
            ),
          ],
  );

export const REPOSITORY_CHECKS: readonly DoctorCheck[] = [
  label,
  repositorySettings,
  environments,
  rules,
  rivals,
  assign,
];
