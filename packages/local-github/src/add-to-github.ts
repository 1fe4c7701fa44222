// `issuewright github add …`: adds a repository or a person to a local GitHub, whether it runs or not.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { Addition } from './github/additions.ts';
import { SAMPLE } from './sample/index.ts';
import { unlessItFails } from '../../../src/lib/errors.ts';
import { spellCommand } from '../../../src/lib/program-name.ts';

export const ADD_USAGE = `${spellCommand('github')} add repository FOLDER|URL [--name OWNER/REPOSITORY]
${spellCommand('github')} add person LOGIN [--repo OWNER/REPOSITORY] [--role read|triage|write|maintain|admin]
Both take --data FOLDER, as \`${spellCommand('github')}\` does.`;

/** A server that runs on a folder writes this file there. */
export const runningFile = (folder: string): string => path.join(folder, 'running.json');

const Running = z.strictObject({ url: z.string(), key: z.string() });

export interface AddRequest {
  readonly addition: Addition;
  /** The data folder. */
  readonly folder: string;
}

/** `undefined` if the words are no addition. */
export function readAddRequest(words: readonly string[], folder: string): AddRequest | undefined {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      data: { type: 'string', default: folder },
      name: { type: 'string' },
      repo: { type: 'string' },
      role: { type: 'string' },
    },
  });
  const [, kind, what, ...rest] = positionals;
  if (what === undefined || rest.length > 0) return undefined;
  const wanted =
    kind === 'repository'
      ? { kind, ...repositoryOf(what, values.name), maintainer: SAMPLE.maintainer }
      : { kind, login: what, ...accessOf(values) };
  const { data, error } = Addition.safeParse(wanted);
  if (data !== undefined) return { addition: data, folder: path.resolve(values.data) };
  if (kind !== 'repository' && kind !== 'person') return undefined;
  const [issue] = error.issues;
  throw new Error(`${issue?.path.join('.')} is wrong: ${issue?.message}`);
}

/** By default, the owner is that of the sample, whose work the service accepts. */
function repositoryOf(what: string, given: string | undefined) {
  const isAddress = /^[a-z][a-z\d+.-]*:\/\//i.test(what);
  const last = what.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const folderName = isAddress ? last : path.basename(path.resolve(what));
  const { owner, name } = namesIn(given ?? `${SAMPLE.owner}/${folderName.replace(/\.git$/, '')}`);
  return { source: isAddress ? what : path.resolve(what), owner, name };
}

function accessOf({ repo, role }: { repo?: string | undefined; role?: string | undefined }) {
  if (repo === undefined && role === undefined) return {};
  if (repo === undefined) throw new Error('--role needs --repo OWNER/REPOSITORY');
  return { access: { ...namesIn(repo), role: role ?? 'write' } };
}

function namesIn(text: string): { owner: string; name: string } {
  const [owner = '', name = '', ...rest] = text.split('/');
  if (name === '' || rest.length > 0) throw new Error(`${text} is not OWNER/REPOSITORY`);
  return { owner, name };
}

/** The file of a server that was killed is still there, and may be cut off. */
async function readRunning(folder: string): Promise<z.infer<typeof Running> | undefined> {
  const text = await readFile(runningFile(folder), 'utf8').catch(() => '');
  return Running.safeParse(unlessItFails(() => JSON.parse(text) as unknown)).data;
}

/** Of the server that has locked the folder; `undefined` until it listens. */
export const runningAddress = async (folder: string): Promise<string | undefined> =>
  (await readRunning(folder))?.url;

/** The answer of the server that runs on the folder; `undefined` if none does. */
export async function askRunning({ addition, folder }: AddRequest): Promise<string | undefined> {
  const running = await readRunning(folder);
  if (running === undefined) return undefined;
  const { url, key } = running;
  const headers = { origin: url, 'content-type': 'application/json', 'x-addition-key': key };
  const body = JSON.stringify(addition);
  // It was killed, and its port may be that of another server since.
  const answer = await fetch(`${url}/ui/additions`, { method: 'POST', headers, body }).catch(
    () => undefined,
  );
  if (answer === undefined || answer.status === 403 || answer.status === 404) return undefined;
  const { message } = z.looseObject({ message: z.string() }).parse(await answer.json());
  if (!answer.ok) throw new Error(message);
  const page = addition.kind === 'repository' ? `\n${url}/${addition.owner}/${addition.name}` : '';
  return message + page;
}
