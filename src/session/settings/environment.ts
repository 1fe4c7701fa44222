// The image in which commands of a repository run, as its settings or its development container name it.
import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { z } from 'zod';
import { parseImageReference } from '../../lib/image-reference.ts';
import { CommandVariables, SetupCommands } from './commands.ts';
import { faultsOf, listed } from './settings-faults.ts';

const ENVIRONMENT =
  'must contain `image`, the name of a container image, or `devcontainer: true`, and not both';
const IMAGE =
  'must be the name of a container image, such as "docker.io/library/python:3.12@sha256:…"';

const ImageName = z.string(IMAGE).refine((text) => parseImageReference(text) !== undefined, IMAGE);

/** A run asks for the digest if it is missing: it knows which image the tag is. */
export const EnvironmentSetting = z
  .strictObject(
    {
      image: ImageName.optional().describe(
        'The image, with its digest: `docker.io/library/python:3.12@sha256:…`',
      ),
      devcontainer: z
        .literal(true, 'can only be `true`')
        .optional()
        .describe('`true`: that of `.devcontainer/devcontainer.json`'),
    },
    ENVIRONMENT,
  )
  .refine(
    ({ image, devcontainer }) => (image === undefined) !== (devcontainer === undefined),
    ENVIRONMENT,
  )
  .optional()
  .describe(
    "The container image in which commands, `setup` and tests run, in place of the machine's programs: [one that the operator allows](using.md#the-repositorys-own-environment)",
  );

export const DEVCONTAINER_FILE = '.devcontainer/devcontainer.json';

/** What a development container says, as far as it is followed. */
export interface Devcontainer {
  readonly image: string;
  readonly setup: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What of it is not followed. Markdown. */
  readonly warnings: readonly string[];
}

/** An image that has to be made first. */
const BUILT = ['build', 'dockerFile', 'dockerComposeFile'];
/** What would change the environment, and does not here. What only editors read is not worth a word. */
const IGNORED = [
  'features',
  'initializeCommand',
  'onCreateCommand',
  'updateContentCommand',
  'postStartCommand',
  'remoteEnv',
  'mounts',
  'runArgs',
];

const Words = z.union([z.string(), z.array(z.string())]);
const DevcontainerFile = z.looseObject({
  image: z.string().optional(),
  postCreateCommand: z.union([Words, z.record(z.string(), Words)]).optional(),
  containerEnv: z.record(z.string(), z.string()).optional(),
});
type DevcontainerFile = z.infer<typeof DevcontainerFile>;

const NAME = `\`${DEVCONTAINER_FILE}\``;

/** @param workspace where commands find the repository */
export function readDevcontainer(
  text: string | undefined,
  workspace: string,
): Devcontainer | { readonly fault: string } {
  if (text === undefined) return { fault: `${NAME} does not exist` };
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined)
    return { fault: `${NAME} is not valid JSON: ${printParseErrorCode(error.error)}` };
  const file = DevcontainerFile.safeParse(value);
  if (file.success) return followedOf(file.data, workspace);
  const faults = listed(file.error.issues.flatMap(faultsOf), undefined);
  return { fault: `${NAME} is invalid: ${faults.join('; ')}` };
}

function followedOf(
  { image, postCreateCommand, containerEnv = {}, ...rest }: DevcontainerFile,
  workspace: string,
): Devcontainer | { readonly fault: string } {
  const built = BUILT.find((key) => key in rest);
  if (built !== undefined)
    return {
      fault: `${NAME} has \`${built}\`, and Issuewright does not build images: build it elsewhere, push it to a registry, and name it in \`image\``,
    };
  if (image === undefined || parseImageReference(image) === undefined)
    return { fault: `${NAME}: \`image\` ${IMAGE}` };
  const setup = SetupCommands.safeParse(commandsIn(postCreateCommand));
  if (!setup.success)
    return { fault: `${NAME}: \`postCreateCommand\` needs commands of one line, at most ten` };
  const { env, left } = variablesIn(containerEnv, workspace);
  const ignored = IGNORED.filter((key) => hasContent(rest[key]));
  const warnings: string[] = [];
  if (ignored.length > 0) warnings.push(`${NAME}: not supported, so ignored: ${named(ignored)}`);
  if (left.length > 0)
    warnings.push(
      `${NAME}: variables of \`containerEnv\` that commands may not be given, or that refer to others; ignored: ${named(left)}`,
    );
  return { image, setup: setup.data, env, warnings };
}

const named = (words: readonly string[]): string => words.map((one) => `\`${one}\``).join(', ');

const hasContent = (value: unknown): boolean =>
  value !== undefined && (typeof value !== 'object' || Object.keys(value ?? {}).length > 0);

/** A text is for a shell, a list is one program with its arguments, and an object has several of both. */
function commandsIn(given: DevcontainerFile['postCreateCommand']): string[] {
  if (given === undefined) return [];
  if (typeof given === 'string') return given.trim() === '' ? [] : [given];
  if (Array.isArray(given)) return given.length === 0 ? [] : [given.map(quoted).join(' ')];
  return Object.values(given).flatMap(commandsIn);
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

function variablesIn(given: Readonly<Record<string, string>>, workspace: string) {
  const env: Record<string, string> = {};
  const left: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const text = value.replaceAll('${containerWorkspaceFolder}', () => workspace);
    const isTaken = !text.includes('${') && CommandVariables.safeParse({ [name]: text }).success;
    if (isTaken) env[name] = text;
    else left.push(/^\w{1,60}$/.test(name) ? name : 'another');
  }
  return { env, left };
}
