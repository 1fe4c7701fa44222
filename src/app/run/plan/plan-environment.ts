// The image that a repository chooses for its commands. Like its settings, it is read from the default branch only.
import { TellPerson } from '../../../lib/errors.ts';
import {
  imageName,
  parseImageReference,
  type ImageReference,
} from '../../../lib/image-reference.ts';
import { DEVCONTAINER_FILE, readDevcontainer } from '../../../session/settings/environment.ts';
import type { RepositorySettings } from '../../../session/settings/index.ts';
import { TOOLS } from '../../../tools/index.ts';
import type { CommandSettings } from '../../../tools/define-tool.ts';
import type { RunMode } from '../../../contracts/entries.ts';
import type { PlanScope, RunScope } from '../../service/service.ts';
import type { Shells } from '../../service/shells.ts';

export interface PlannedEnvironment {
  /** `undefined`: commands run with the programs of the machine. */
  readonly image: ImageReference | undefined;
  readonly commands: Omit<CommandSettings, 'longest'>;
  /** Markdown. */
  readonly warnings: readonly string[];
}

/**
 * `workspace`: where commands find the repository; if they run nowhere, nothing is read.
 * @throws {TellPerson} for a development container that cannot be followed
 */
export async function planEnvironment(
  github: PlanScope['github'],
  settings: RepositorySettings,
  workspace: string | undefined,
): Promise<PlannedEnvironment> {
  const commands = commandsOf(settings);
  const { image, devcontainer } = (workspace === undefined ? {} : settings.environment) ?? {};
  if (image !== undefined) return { image: parseImageReference(image), commands, warnings: [] };
  if (devcontainer === undefined || workspace === undefined)
    return { image: undefined, commands, warnings: [] };
  const read = readDevcontainer(await github.readFile(DEVCONTAINER_FILE), workspace);
  if ('fault' in read) throw new TellPerson(`${read.fault}.`);
  return {
    image: parseImageReference(read.image),
    commands: {
      ...commands,
      setup: settings.setup.length === 0 ? read.setup : settings.setup,
      environment: { ...read.env, ...settings.env },
    },
    warnings: read.warnings,
  };
}

/** What the settings of a repository say of commands. */
const commandsOf = ({
  commands,
  ...settings
}: RepositorySettings): Omit<CommandSettings, 'longest'> => ({
  allow: commands?.allow,
  test: settings.test,
  setup: settings.setup,
  timeout: settings.timeout,
  environment: settings.env,
});

/** Only commands need it. */
export const imageForTools = (
  { image }: PlannedEnvironment,
  tools: ReadonlySet<string>,
): PlannedEnvironment['image'] =>
  TOOLS.some(({ name, safety }) => safety === 'dangerous' && tools.has(name)) ? image : undefined;

interface PlanWithCommands {
  readonly image: PlannedEnvironment['image'];
  readonly shells: Shells | undefined;
  readonly mode: RunMode;
}

/** The plan with the shells of the image that it names, which is fetched if it is not here. @throws {TellPerson} */
export async function inEnvironment<Plan extends PlanWithCommands>(
  plan: Plan,
  { tracker, signal }: RunScope,
): Promise<Plan> {
  const { image, shells, mode } = plan;
  if (image === undefined || shells === undefined || mode === 'completion') return plan;
  const { number = 1 } = tracker.session.run ?? {};
  const fetched = { run: number, image: imageName(image) };
  let isFetched = false;
  const beforeFetch = async (): Promise<void> => {
    isFetched = true;
    await tracker.append({ type: 'image_fetch_started', ...fetched });
  };
  const inside = await shells.inImage(image, { signal, beforeFetch });
  if (isFetched) await tracker.append({ type: 'image_fetched', ...fetched });
  return { ...plan, shells: inside };
}
