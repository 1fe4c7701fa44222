import { existsSync, readFileSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { codeOf, unlessItFails } from './lib/errors.ts';
import { useNetwork } from './lib/network.ts';
import { readAgent, type AgentConfig } from './config/agent.ts';
import { readToken, type TokenConfig } from './config/by-token.ts';
import { commandEnvironment, type CommandEnvironment } from './config/command-environment.ts';
import { ConfigError, firstOfEach, type ConfigFault, type Ineffective } from './config/faults.ts';
import {
  misplacedIn,
  reusedIn,
  ineffectiveIn,
  misspelledIn,
  notValuesIn,
  type MisspelledName,
} from './config/mistakes/ineffective.ts';
import { readGit, type GitConfig } from './config/git.ts';
import { keyFilesOf, withKeyFiles } from './config/key-files.ts';
import { readMcp, secretsOfServers } from './config/mcp.ts';
import { readNetwork, type NetworkConfig } from './config/network.ts';
import {
  readOpenTelemetry,
  readMetrics,
  type OpenTelemetryConfig,
  type MetricsConfig,
} from './config/monitoring.ts';
import { readModels, type ModelsConfig } from './config/models.ts';
import {
  readLogLevel,
  readService,
  readStoreVariables,
  type ServiceConfig,
} from './config/service.ts';
import type { ShellSettings } from './app/service/shells.ts';
import type { ServerSettings } from './mcp/settings.ts';
import { readShell } from './config/shell.ts';
import { readSignIn, type SignInConfig } from './config/sign-in.ts';
import { readSlots, type Slots } from './config/slots.ts';

export { ConfigError } from './config/faults.ts';

/** What the agent works with, in the service and by hand. */
interface WorkConfig {
  readonly network: NetworkConfig;
  readonly git: GitConfig;
  readonly models: ModelsConfig;
  readonly agent: AgentConfig;
  readonly shell: ShellSettings;
  /** MCP servers that repositories may use. */
  readonly servers: readonly ServerSettings[];
  /** `undefined`: no traces and metrics are sent anywhere. */
  readonly openTelemetry: OpenTelemetryConfig | undefined;
  /** Values of variables for commands that no text may show. */
  readonly commandSecrets: readonly string[];
}

/** The settings of the operator, from the environment alone; handed down in parts by main.ts. */
export interface Config extends ServiceConfig, WorkConfig {
  /** The files with keys. */
  readonly keyFiles: readonly string[];
  /** Reads the settings again: all but what files hold are the same. @throws {ConfigError} */
  readonly again: () => Config;
  readonly slots: Slots;
  /** `undefined`: only the token opens the session pages. */
  readonly signIn: SignInConfig | undefined;
  /** `undefined`: no metrics. */
  readonly metrics: MetricsConfig | undefined;
  /** Settings that are set and change nothing, or contradict others. */
  readonly ineffective: readonly Ineffective[];
}

/** The location of the service's database: all that another process needs to reach it. */
export function readStore(environment: Environment): ServiceConfig['store'] {
  const { DATABASE_URL: url = '', DATA_DIR: directory = '' } = setIn(environment);
  const faults: ConfigFault[] = notValuesIn({ DATABASE_URL: url, DATA_DIR: directory });
  const store = readStoreVariables(setIn(environment), faults);
  if (store === undefined || faults.length > 0) throw new ConfigError(firstOfEach(faults));
  return store;
}

/** What a command needs to open one model, `provider:name`, whatever the service uses. */
export function readModel(environment: Environment, name: string): ModelsConfig {
  const faults: ConfigFault[] = [];
  const {
    REVIEW_MODEL: _review,
    EMBEDDING_MODEL: _embedding,
    MODEL_FALLBACK: _fallback,
    ...variables
  } = withKeyFiles(setIn(environment), faults);
  const models = readModels({ ...variables, MODEL: name }, faults);
  if (models === undefined || faults.length > 0) throw new ConfigError(firstOfEach(faults));
  return models;
}

/** What probes of models need; `name`: that model in place of those that are offered. @throws {ConfigError} */
export function readProbed(
  environment: Environment,
  name: string | undefined,
): { readonly models: ModelsConfig; readonly agent: AgentConfig } {
  const models = readModel(environment, name ?? environment['MODEL'] ?? '');
  const faults: ConfigFault[] = [];
  const agent = readAgent(setIn(environment), faults);
  if (agent === undefined || faults.length > 0) throw new ConfigError(firstOfEach(faults));
  return { models, agent };
}

/** What a session by hand needs: no App, no database. */
export type HandConfig = WorkConfig & Pick<Config, 'logLevel'>;

/** @throws {ConfigError} naming each setting that is missing or invalid */
export const readByHand = (environment: Environment): HandConfig =>
  readHand(environment, () => ({}));

/** The same for work on an issue. @throws {ConfigError} */
export const readIssueByHand = (
  environment: Environment,
): HandConfig & { readonly github: TokenConfig } =>
  readHand(environment, (variables, faults) => {
    const github = readToken(variables, faults, 'write');
    return github && { github };
  });

/** The same for an evaluation, which only reads on GitHub. @throws {ConfigError} */
export const readEvaluation = (
  environment: Environment,
): HandConfig & { readonly github: TokenConfig; readonly dataDir: string } =>
  readHand(environment, (variables, faults) => {
    const github = readToken(variables, faults, 'read');
    const store = readStoreVariables(variables, faults);
    return github && store && { github, dataDir: store.dataDir };
  });

function readHand<More>(
  environment: Environment,
  readMore: (variables: Record<string, string>, faults: ConfigFault[]) => More | undefined,
): HandConfig & More {
  const fileFaults: ConfigFault[] = [];
  const variables = withKeyFiles(setIn(environment), fileFaults);
  const faults: ConfigFault[] = [...fileFaults, ...notValuesIn(variables)];
  const logLevel = readLogLevel({ LOG_LEVEL: 'warn', ...variables }, faults);
  const more = readMore(variables, faults);
  const work = readWork(variables, faults);
  if (faults.length > 0 || logLevel === undefined || work === undefined || more === undefined)
    throw new ConfigError(withHints(firstOfEach(faults), misspelledIn(variables)));
  return { ...work, logLevel, ...more };
}

/** `undefined`: `faults` says why. */
function readWork(
  variables: Record<string, string>,
  faults: ConfigFault[],
): WorkConfig | undefined {
  const network = readNetwork(variables, faults);
  const git = readGit(variables, faults);
  const models = readModels(variables, faults);
  const agent = readAgent(variables, faults);
  const shell = readShell(variables, faults);
  const servers = readMcp(variables, faults);
  const openTelemetry = readOpenTelemetry(variables, faults);
  const given = commandEnvironment(shell?.given ?? [], variables, faults);
  faults.push(...misplacedIn(variables));
  const isWhole = network && git && models && agent && shell && servers;
  if (!isWhole || openTelemetry === undefined) return undefined;
  const commandSecrets = given.secrets;
  return {
    network,
    git,
    models,
    agent,
    servers,
    openTelemetry: openTelemetry || undefined,
    commandSecrets,
    shell: shellWith(shell, given),
  };
}

/**
 * Has all requests of this process follow the settings of its network.
 * @throws {ConfigError} naming those that are invalid; then none of them counts
 */
export function useNetworkSettings(environment: Environment): void {
  const faults: ConfigFault[] = [];
  const network = readNetwork(setIn(environment), faults);
  if (network === undefined) throw new ConfigError(firstOfEach(faults));
  useNetwork(network);
}

export type Environment = Readonly<Record<string, string | undefined>>;

function requireWorkingDirectory(): void {
  try {
    process.cwd();
  } catch (error) {
    throw new Error(
      'The directory in which this command was started does not exist any more. Start it in another one.',
      { cause: error },
    );
  }
}

/**
 * The process's environment, plus an `.env` file in the working directory. `hasEnvFile: false`: without that, because
 * whoever wrote the directory's files is not trusted with settings.
 */
export function processEnvironment({
  hasEnvFile = true,
}: {
  readonly hasEnvFile?: boolean;
}): Environment {
  requireWorkingDirectory();
  if (!hasEnvFile) return process.env;
  try {
    if (!existsSync('.env')) return process.env;
    // Says why it cannot be read, which `loadEnvFile` does not always.
    readFileSync('.env');
    loadEnvFile('.env');
  } catch (error) {
    throw new Error(
      `The file .env in this directory cannot be read (${codeOf(error)}). Let the user of this process read it, or remove it.`,
      { cause: error },
    );
  }
  return process.env;
}

/**
 * Reads the settings and reports all faults at once.
 * @throws {ConfigError} naming each setting that is missing or invalid
 */
export function readConfig(environment: Environment): Config {
  const fileFaults: ConfigFault[] = [];
  const variables = withKeyFiles(setIn(environment), fileFaults);
  const faults: ConfigFault[] = [...fileFaults, ...notValuesIn(variables)];
  const service = readService(variables, faults);
  const slots = readSlots(variables, faults);
  const signIn = readSignIn(variables, faults);
  const metrics = readMetrics(variables, faults);
  const work = readWork(variables, faults);
  faults.push(...reusedIn(variables));
  if (
    faults.length > 0 ||
    !service ||
    signIn === undefined ||
    metrics === undefined ||
    !slots ||
    !work
  )
    throw new ConfigError(withHints(firstOfEach(faults), misspelledIn(variables)));
  const { agent, shell } = work;
  return {
    ...service,
    ...work,
    keyFiles: keyFilesOf(variables),
    again: () => readConfig(environment),
    slots,
    signIn: signIn || undefined,
    metrics: metrics || undefined,
    ineffective: ineffectiveIn(variables, { github: service.github, agent, shell }),
  };
}

const shellWith = (
  { given: _given, ...shell }: NonNullable<ReturnType<typeof readShell>>,
  { variables }: CommandEnvironment,
): ShellSettings => ({ ...shell, environment: variables });

const withHints = (faults: readonly ConfigFault[], misspelled: readonly MisspelledName[]) =>
  faults.map(({ name, fault }) => {
    const other = misspelled.find(({ meant }) => meant === name);
    const hint = other === undefined ? '' : `. \`${other.name}\` is set: rename it to \`${name}\``;
    return { name, fault: fault + hint };
  });

/** An empty variable counts as unset: `docker compose` passes such variables on. */
export const setIn = (environment: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter((pair): pair is [string, string] => !!pair[1]?.trim()),
  );

/** What no text of a session by hand may show. */
export const secretsByHand = ({
  models,
  servers,
  openTelemetry,
  commandSecrets,
  network,
  github,
}: HandConfig & { readonly github?: TokenConfig }): string[] =>
  [
    github?.token,
    ...(openTelemetry?.secrets ?? []),
    ...models.secrets,
    ...secretsOfServers(servers),
    ...commandSecrets,
    ...network.secrets,
  ].filter((secret) => secret !== undefined);

/** What no text may show. */
export const secretsOf = ({
  github,
  signIn,
  openTelemetry,
  models,
  store,
  servers,
  commandSecrets,
  network,
  notifyUrl,
}: Config): string[] =>
  [
    github.privateKey,
    ...github.webhookSecrets,
    signIn?.clientSecret,
    notifyUrl,
    ...(openTelemetry?.secrets ?? []),
    store.databaseUrl,
    ...passwordsIn(store.databaseUrl),
    ...models.secrets,
    ...secretsOfServers(servers),
    ...commandSecrets,
    ...network.secrets,
  ].filter((secret) => secret !== undefined);

/** The password in an address, as it is written there and as the server knows it. */
export function passwordsIn(address: string | undefined): readonly string[] {
  const written = URL.parse(address ?? '')?.password ?? '';
  const known = unlessItFails(() => decodeURIComponent(written));
  return known === undefined ? [written] : [written, known];
}
