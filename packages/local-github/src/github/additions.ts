// What `issuewright github add` adds: repositories from elsewhere, and people.
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { recordRepository } from './actions/repositories.ts';
import { importRepository } from './git/importing.ts';
import { RepositoryGit } from './git/repository.ts';
import { GitHubError } from './github-error.ts';
import { Installations } from './installations.ts';
import { checkOrigin } from './pages/guard.ts';
import { parseBody, type Services } from './rest/route.ts';
import type { Repository, Role, User } from './state.ts';

/** Of people and organizations. */
const Login = z
  .string()
  .regex(/^[a-z\d](?:-?[a-z\d]){0,38}$/i, 'a login has letters, digits and single hyphens');
const RepositoryName = z
  .string()
  .regex(/^(?!\.{1,2}$)[\w.-]{1,100}$/, 'a name has letters, digits, `-`, `_` and `.`');
const ROLES = ['read', 'triage', 'write', 'maintain', 'admin'] as const satisfies readonly Role[];

export const Addition = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('repository'),
    /** An absolute path or an http(s) address. */
    source: z.string(),
    owner: Login,
    name: RepositoryName,
    maintainer: Login,
  }),
  z.strictObject({
    kind: z.literal('person'),
    login: Login,
    access: z.strictObject({ role: z.enum(ROLES), owner: Login, name: RepositoryName }).optional(),
  }),
]);
export type Addition = z.infer<typeof Addition>;

/** Resolves with what people read. Rejects with an error for people if it cannot be added. */
export async function add(
  services: Services,
  directory: string,
  addition: Addition,
): Promise<string> {
  return addition.kind === 'repository'
    ? addRepository(services, directory, addition)
    : addPerson(services, addition);
}

async function addRepository(
  services: Services,
  directory: string,
  { source, owner: login, name, maintainer }: Extract<Addition, { kind: 'repository' }>,
): Promise<string> {
  const { world } = services;
  if (world.repositories.has(`${login}/${name}`.toLowerCase()))
    throw new GitHubError(
      'own',
      422,
      `There is a repository ${login}/${name} already: use --name.`,
    );
  const owner = world.addUser(login, 'Organization');
  const git = new RepositoryGit(path.join(directory, owner.login, `${name}.git`));
  const defaultBranch = await importRepository(git, source);
  world.addUser(maintainer);
  const repository = recordRepository(world, {
    owner,
    name,
    git,
    defaultBranch,
    collaborators: new Map([[maintainer, 'admin']]),
    installationId: undefined,
  });
  const isInstalled = install(services, repository, owner);
  const app = isInstalled ? 'The App is installed on it' : 'The App is installed on nothing yet';
  return `Added ${repository.fullName} with the branch ${defaultBranch}. ${maintainer} is its admin. ${app}.`;
}

/** As if the owner had chosen all repositories. An App that nobody has installed yet stays so. */
function install(services: Services, repository: Repository, owner: User): boolean {
  const { world } = services;
  const all = [...world.installations.values()];
  if (all.length === 0 && world.repositories.size > 1) return false;
  const installations = new Installations(services);
  const known = all.find(({ account }) => account.id === owner.id);
  if (known !== undefined) installations.add(repository, known.id);
  else installations.install([repository], all.length === 0 ? 1 : world.nextId());
  return true;
}

function addPerson(
  { world }: Services,
  { login, access }: Extract<Addition, { kind: 'person' }>,
): string {
  const known = world.user(login);
  if (known !== undefined && known.type !== 'User')
    throw new GitHubError('own', 422, `${login} is no person here: choose another login.`);
  const fullName = `${access?.owner}/${access?.name}`;
  const repository = world.repositories.get(fullName.toLowerCase());
  if (access !== undefined && repository === undefined)
    throw new GitHubError('own', 422, `There is no repository ${fullName}.`);
  const user = world.addUser(login);
  if (access !== undefined) repository?.collaborators.set(user.login, access.role);
  world.changed();
  const who = known === undefined ? `Added ${user.login}` : `${user.login} was there already`;
  return access === undefined ? `${who}.` : `${who}. Role in ${fullName}: ${access.role}.`;
}

/** Where a running server is asked to add something. `key` is known to those who can read its folder. */
export function registerAdditions(
  server: FastifyInstance,
  services: Services,
  directory: string,
  key: string,
): void {
  server.post('/ui/additions', async (request) => {
    checkOrigin(request);
    if (request.headers['x-addition-key'] !== key)
      throw new GitHubError('own', 403, 'This server has another folder.');
    return { message: await add(services, directory, parseBody(Addition, request.body)) };
  });
}
