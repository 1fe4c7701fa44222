// What several checks need, looked up once.
import { pino } from 'pino';
import { readConfig, secretsOf, type Config, type Environment } from '../../config.ts';
import type { RepositoryRef } from '../../contracts/intent.ts';
import { createGitHub, type GitHub } from '../../github/index.ts';
import type { InstallationFacts } from '../../github/access/installations.ts';
import type { AppFacts } from '../../github/set-up/app-set-up.ts';
import { createRedactor, type Redactor } from '../../lib/text/redact.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { servesOnly } from '../../app/service/service.ts';

export interface InstalledRepository {
  readonly installation: InstallationFacts;
  readonly repository: RepositoryRef;
}

/** Every getter throws `NotExamined` if what it needs is faulty: the check for that says so. */
export interface Examination {
  readonly environment: Environment;
  readonly config: Config;
  readonly github: GitHub;
  readonly redactor: Redactor;
  /** What GitHub says of the App. */
  app(): Promise<AppFacts>;
  /** The installations on accounts that are served. */
  installations(): Promise<readonly InstallationFacts[]>;
  /** Their repositories; the first ones if there are many. */
  repositories(): Promise<readonly InstalledRepository[]>;
}

/** Each costs a few requests. */
export const MOST_REPOSITORIES = 20;

export function examinationOf(environment: Environment): Examination {
  const redactor = createRedactor([]);
  const config = once(() => {
    const read = valid(() => readConfig(environment), 'the settings are invalid');
    for (const secret of secretsOf(read)) redactor.add(secret);
    return read;
  });
  const github = once(() =>
    createGitHub({ ...config().github, log: pino({ level: 'silent' }), redactor }),
  );
  const app = once(() => examined(github().setUp.app(), 'GitHub does not accept the App'));
  const installations = once(async () => {
    await app();
    const all = await examined(github().installations.list(), 'installations cannot be listed');
    return all.filter(({ owner }) => servesOnly(config().github.allowedOwners)(owner));
  });
  const repositories = once(async () => {
    const found: InstalledRepository[] = [];
    for (const installation of (await installations()).filter((one) => !one.isSuspended)) {
      const listed = github().installations.repositories(installation.id);
      const list = await examined(listed, 'repositories cannot be listed');
      found.push(...list.map((repository) => ({ installation, repository })));
    }
    if (found.length === 0) throw new NotExamined('the App is installed on no repository');
    return found.slice(0, MOST_REPOSITORIES);
  });
  return {
    environment,
    redactor,
    get config() {
      return config();
    },
    get github() {
      return github();
    },
    app,
    installations,
    repositories,
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function valid<T>(read: () => T, why: string): T {
  try {
    return read();
  } catch (error) {
    throw new NotExamined(why, { cause: error });
  }
}

const examined = <T>(work: Promise<T>, why: string): Promise<T> =>
  work.catch((cause: unknown) => {
    throw new NotExamined(why, { cause });
  });

/**
 * `hint`: nothing is wrong, but something would be handy. `warning`: it works, but not as it should. `skipped`: another
 * fault has to be fixed first. `fixed`: it was wrong until `--fix`.
 */
export type FindingState = 'ok' | 'hint' | 'warning' | 'fault' | 'skipped' | 'fixed';

/** What a check found, in a line. */
export interface DoctorFinding {
  readonly state: FindingState;
  /** A sentence. */
  readonly text: string;
  /** What to do, in a sentence or two; every hint, fault and warning has one. */
  readonly cure?: string;
  /** What `--fix` does about it, if that is safe. Resolves with a sentence that says what was done. */
  readonly fix?: () => Promise<string>;
}

type Fix = DoctorFinding['fix'];

export const ok = (text: string): DoctorFinding => ({ state: 'ok', text });
export const hint = (text: string, cure: string, fix?: Fix): DoctorFinding => ({
  state: 'hint',
  text,
  cure,
  ...withoutUndefined({ fix }),
});
export const warning = (text: string, cure: string, fix?: Fix): DoctorFinding => ({
  state: 'warning',
  text,
  cure,
  ...withoutUndefined({ fix }),
});
export const fault = (text: string, cure: string): DoctorFinding => ({
  state: 'fault',
  text,
  cure,
});

/** A check that needs what another one found faulty. */
export class NotExamined extends Error {
  override readonly name = 'NotExamined';
}

/** One thing that the doctor looks at. What it throws becomes a fault. */
export interface DoctorCheck {
  /** In the report, and for scripts. */
  readonly name: string;
  /** What to do if it cannot be carried out. */
  readonly cure: string;
  look(examination: Examination): Promise<DoctorFinding | readonly DoctorFinding[]>;
}
