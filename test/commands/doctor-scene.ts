// A set-up with nothing wrong in it: the local GitHub, the running service, and `issuewright doctor`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DoctorFinding } from '../../src/commands/doctor/examination.ts';
import { runProgram } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { Scene } from '../e2e/scene.ts';

interface Examined {
  readonly code: number;
  readonly ok: boolean;
  readonly findings: readonly (DoctorFinding & { readonly check: string })[];
}

export interface DoctorScene {
  readonly scene: Scene;
  readonly directory: string;
  /** Runs `issuewright doctor --json` with changed settings, on a changed machine. */
  examine(changes?: Readonly<Record<string, string>>, machine?: string): Promise<Examined>;
  /** What it prints for people, with further words and changed settings. */
  read(words?: readonly string[], changes?: Readonly<Record<string, string>>): Promise<string>;
  /** Writes a file on the default branch. */
  write(path: string, text: string): Promise<void>;
}

export const INSTALLATION = 1;
/** Nothing listens there. */
export const NOWHERE = '127.0.0.1:1';

const PRICED = { models: { 'openai:scripted': { price: { input: 1, output: 2 } } } };

export async function openDoctorScene(): Promise<DoctorScene> {
  const directory = temporaryDirectory();
  const catalog = join(directory, 'prices.json');
  writeFileSync(catalog, JSON.stringify(PRICED));
  const scene = await Scene.open({ hasSignIn: true });
  scene.github.appOwner.ping();
  await scene.github.webhooksSent();
  await ask(scene, 'POST', 'labels', { name: 'issuewright' });
  const environment = {
    ...scene.stage.environment,
    ...scene.stage.signIn,
    MODEL_CATALOG: catalog,
    CONTENT_LIMITS: 'github',
    ALLOW_DANGEROUS_TOOLS: 'true',
  };
  const run = (words: readonly string[], changes = {}, machine?: string) =>
    runProgram(words, { environment: { ...environment, ...changes }, directory, machine });
  return {
    scene,
    directory,
    examine: async (changes, machine) => {
      const { code, stdout, stderr } = await run(['doctor', '--json'], changes, machine);
      if (stderr !== '') throw new Error(stderr);
      return { code, ...(JSON.parse(stdout) as Omit<Examined, 'code'>) };
    },
    read: async (words = [], changes = {}) => (await run(['doctor', ...words], changes)).stdout,
    write: async (path, text) => {
      const content = Buffer.from(text).toString('base64');
      const sha = await scene.git('rev-parse', `main:${path}`).catch(() => undefined);
      await ask(scene, 'PUT', `contents/${path}`, { message: 'Settings', content, sha });
    },
  };
}

/** As the maintainer, of the repository. */
async function ask(scene: Scene, method: string, path: string, body: object): Promise<void> {
  const { fullName } = scene.repository;
  const answer = await fetch(`${scene.github.url}/api/v3/repos/${fullName}/${path}`, {
    method,
    headers: { authorization: 'Bearer user_octo-maintainer', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
}

/** What is planted: settings, a change of the machine, or a change on GitHub with what undoes it. */
interface Planted {
  readonly settings?: Readonly<Record<string, string>>;
  readonly machine?: string;
  readonly undo?: () => unknown;
}

export interface Case {
  readonly fault: string;
  /** The check that finds it. */
  readonly check: string;
  readonly says: RegExp;
  readonly cure: RegExp;
  readonly plant: (doctor: DoctorScene) => Planted | Promise<Planted>;
}
