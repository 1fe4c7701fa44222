// The App and the person of a proof: who they are on GitHub, and what they may do in its repository.
import { pino } from 'pino';
import { rulesFor } from '../../app/admission/settings.ts';
import { readConfig, secretsOf, type Config, type Environment } from '../../config.ts';
import type { RepositoryRef } from '../../contracts/intent.ts';
import { createGitHub, type GitHub } from '../../github/index.ts';
import { TellPerson } from '../../lib/errors.ts';
import { createRedactor } from '../../lib/text/redact.ts';
import type { CommandContext } from '../command.ts';
import { askerFor, valueIn, type Asker } from './ask-github.ts';
import { PROOF_PREFIX } from './scenery.ts';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { spellCommand } from '../../lib/program-name.ts';

export interface ProofApp {
  readonly config: Config;
  readonly enterprise: Config['github']['enterprise'];
  readonly github: GitHub;
  readonly installation: number;
  readonly granted: Readonly<Record<string, string>>;
  readonly repository: RepositoryRef;
  readonly appLogin: string;
  readonly token: string;
  readonly personLogin: string;
  /** In the name of the person, whatever is stopped meanwhile. */
  readonly person: Asker;
  /** The label that starts work in the repository. */
  readonly label: () => Promise<string>;
  /** Private names, and what stands for them in the report. */
  readonly names: ReadonlyMap<string, string>;
  readonly redact: (text: string) => string;
}

type RepositoryName = Pick<RepositoryRef, 'owner' | 'name'>;

/** @throws {TellPerson} if something of it is missing @throws {ConfigError} */
export async function openApp(
  { environment }: CommandContext,
  name: RepositoryName,
): Promise<ProofApp> {
  const config = readWithoutModel(environment);
  const token = await personsToken(environment);
  const redactor = createRedactor([...secretsOf(config), token]);
  const { enterprise, assignee } = config.github;
  const log = pino({ level: 'silent' });
  const github = createGitHub({ ...config.github, log, redactor });
  const { login: appLogin, slug } = await github.setUp.app();
  const asking = { enterprise, repository: name, signal: NEVER, heard: () => {} };
  const person = askerFor({ ...asking, token: () => Promise.resolve(token) });
  const personLogin = await loginOf(person);
  const { installation, repository, granted } = await installationOf(github, name);
  const hosts: [string, string][] = enterprise === undefined ? [] : [[enterprise.host, 'HOST']];
  return {
    config,
    enterprise,
    github,
    installation,
    granted,
    repository,
    appLogin,
    token,
    personLogin,
    person,
    label: async () =>
      (await rulesFor(github.repository(installation, repository), repository)).label,
    names: new Map([
      ...hosts,
      [`${repository.owner}/${repository.name}`, 'OWNER/REPOSITORY'],
      [repository.owner, 'OWNER'],
      [repository.name, 'REPOSITORY'],
      [personLogin, 'PERSON'],
      ...(assignee === undefined ? [] : [[assignee, 'ACCOUNT'] as const]),
      ...(slug === PRODUCT ? [] : [[slug, 'APP'] as const]),
    ]),
    redact: redactor.redact,
  };
}

const NEVER = new AbortController().signal;
/** A name that says nothing of anyone. */
const PRODUCT = PROOF_PREFIX.replace(/-proof$/, '');

/** The settings of the service. A proof needs no model, so that one is named which needs nothing else. */
const readWithoutModel = (environment: Environment): Config =>
  readConfig({
    ...environment,
    MODEL: 'ollama:none',
    REVIEW_MODEL: undefined,
    EMBEDDING_MODEL: undefined,
    MODEL_CATALOG: undefined,
  });

async function loginOf(person: Asker): Promise<string> {
  const answer = await person.rest('GET', '/user');
  const login = valueIn(answer.body, 'login');
  if (answer.status === 200 && typeof login === 'string') return login;
  if (answer.status === 401)
    throw new TellPerson(
      'GitHub did not accept your token: it is wrong, was revoked, or has expired. Create another one.',
    );
  throw new TellPerson(
    `GitHub did not say whose token this is (${answer.status} ${answer.message}). Check the network, HTTPS_PROXY and GHE_HOST.`,
  );
}

async function installationOf(github: GitHub, { owner, name }: RepositoryName) {
  const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
  const installed = (await github.installations.list()).find((one) => isSame(one.owner, owner));
  const { install } = await github.setUp.app();
  if (installed === undefined)
    throw new TellPerson(`The App is not installed on ${owner}. Install it at ${install}.`);
  if (installed.isSuspended)
    throw new TellPerson(
      `The installation on ${owner} is suspended. An owner can unsuspend it at ${installed.settings}.`,
    );
  const all = await github.installations.repositories(installed.id);
  const repository = all.find((one) => isSame(one.name, name) && isSame(one.owner, owner));
  if (repository === undefined)
    throw new TellPerson(
      `The App is installed on ${owner}, but not on ${owner}/${name}, or there is no such repository. Add it at ${installed.settings}.`,
    );
  return { installation: installed.id, repository, granted: installed.permissions };
}

const NEEDS =
  'A fine-grained token needs contents, issues and pull requests: write on the one repository; workflows: write and administration: write let more be tried. Make it at Settings, Developer settings, on GitHub';

/** @throws {TellPerson} */
async function personsToken(environment: Environment): Promise<string> {
  const given = environment['GITHUB_TOKEN']?.trim() || (await tokenFromInput());
  if (given === undefined || given === '')
    throw new TellPerson(
      `Your token is missing: it plays the human. Set GITHUB_TOKEN, or pipe it in: \`gh auth token | ${spellCommand('prove')} OWNER/REPOSITORY\`. ${NEEDS}.`,
    );
  if (!/^[\x21-\x7e]+$/.test(given))
    throw new TellPerson(
      `This is not a token: it has characters that tokens never have. Copy it again. ${NEEDS}.`,
    );
  if (given.startsWith('ghs_'))
    throw new TellPerson(
      `This is the token of a GitHub App or a workflow. The human side needs one of a person. ${NEEDS}.`,
    );
  return given;
}

async function tokenFromInput(): Promise<string | undefined> {
  const { stdin, stderr } = process;
  if (stdin.isTTY) {
    stderr.write(`Your token, which is not shown (${NEEDS}): `);
    // A terminal would show what is typed.
    const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: stdin, output: hidden, terminal: true });
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    const typed = await lines.question('');
    lines.close();
    stderr.write('\n');
    return typed.trim();
  }
  stderr.write('Reading your token from standard input, since GITHUB_TOKEN is not set.\n');
  const lines = createInterface({ input: stdin });
  for await (const line of lines) {
    lines.close();
    return line.trim();
  }
  return undefined;
}
