import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pino } from 'pino';
import { readStore } from '../../config.ts';
import { reasonOf } from '../../lib/reason.ts';
import { shownSettingPath } from '../../lib/directories.ts';
import { day } from '../../session/texts/format.ts';
import { GITHUB_LIMITS } from '../../lib/write-budget.ts';
import {
  fault,
  NotExamined,
  ok,
  warning,
  type DoctorCheck,
  type DoctorFinding,
  type Examination,
} from './examination.ts';
import type { ControlAction } from '../../store/control.ts';

const log = pino({ level: 'silent' });

/** The oldest version that PostgreSQL itself still supports. */
const OLDEST_POSTGRES = 14;

const database: DoctorCheck = {
  name: 'database',
  cure: "Check DATABASE_URL, or let the service's user write to DATA_DIR",
  look: async (examination) => {
    const found = await inDatabase(examination, async (one) => ({
      version: await one.version(),
      pending: await one.pendingMigrations(),
    }));
    const { dataDir, databaseUrl } = readStore(examination.environment);
    const place = databaseUrl === undefined ? ` in ${shownDirectory(dataDir)}` : '';
    if (found === undefined)
      return ok(`There are no tables${place} yet. The first start creates them.`);
    const { version, pending } = found;
    if (Number.parseInt(version, 10) < OLDEST_POSTGRES)
      return warning(
        `PostgreSQL ${version} is too old.`,
        `Use PostgreSQL ${OLDEST_POSTGRES} or newer.`,
      );
    const rest = pending === 0 ? '' : `; the next start changes its tables (${pending})`;
    return ok(`PostgreSQL ${version}${place} answers${rest}.`);
  },
};

const budget: DoctorCheck = {
  name: 'budget',
  cure: 'Fix the check `database` first',
  look: async (examination) => {
    const { contentLimits: limits } = examination.config.github;
    if (limits === undefined) return ok('CONTENT_LIMITS is `none`, so writes are not counted.');
    const installations = await examination.installations();
    const found = await inDatabase(examination, async (one) => {
      const low: DoctorFinding[] = [];
      for (const { id, owner } of installations) {
        const { hour, pausedMs } = await one.writeBudget(id, limits ?? GITHUB_LIMITS);
        if (pausedMs > 0)
          low.push(
            warning(
              `GitHub asked to pause requests for ${owner} for ${Math.ceil(pausedMs / 1000)} s.`,
              'Wait: requests resume by themselves. If it happens often, lower CONCURRENCY_INSTALLATION.',
            ),
          );
        else if (hour.left < hour.requests / 10)
          low.push(
            warning(
              `${hour.left} of ${hour.requests} writes an hour are left for ${owner}.`,
              'Wait, or lower CONCURRENCY_INSTALLATION. An Enterprise Server may allow more: CONTENT_LIMITS.',
            ),
          );
      }
      return low;
    }).catch((cause: unknown) => {
      throw new NotExamined('the database does not answer', { cause });
    });
    if (found !== undefined && found.length > 0) return found;
    return ok("GitHub's write limits leave room.");
  },
};

/** Longer than a process takes to look for news and to send them again. */
const TOLD_WITHIN_MS = 3 * 60_000;

const problems: DoctorCheck = {
  name: 'problems',
  cure: 'Fix the check `database` first',
  look: async (examination) => {
    const { notifyUrl } = examination.config;
    const open = await inDatabase(examination, (one) => one.problems()).catch((cause: unknown) => {
      throw new NotExamined('the database does not answer', { cause });
    });
    const found = (open ?? []).map(({ text, since }) =>
      warning(
        `Since ${day(since.toISOString())}: ${text}`,
        'This clears once the service sees that it is over.',
      ),
    );
    const old = Date.now() - TOLD_WITHIN_MS;
    if (notifyUrl !== undefined && open?.some((one) => !one.isTold && one.since.getTime() < old))
      found.push(
        warning(
          'The address in NOTIFY_URL does not accept messages.',
          'Read the log of the service.',
        ),
      );
    if (found.length > 0) return found;
    return ok(
      notifyUrl === undefined
        ? 'The service sees no problems. NOTIFY_URL is not set, so it would notify nobody.'
        : 'The service sees no problems.',
    );
  },
};

const GIB = 1024 ** 3;
const LEAST_FREE = GIB / 2;
const LITTLE_FREE = 2 * GIB;

const disk: DoctorCheck = {
  name: 'disk',
  cure: "Let the service's user write to DATA_DIR and TMPDIR",
  look: async ({ environment }) => {
    const { dataDir, databaseUrl } = readStore(environment);
    const kept = databaseUrl === undefined ? 'the database' : 'repository data';
    const places = [
      { setting: 'DATA_DIR', what: kept, directory: nearest(dataDir) },
      { setting: 'TMPDIR', what: 'clones', directory: tmpdir() },
    ];
    const found = places.flatMap((place) => notWritable(place) ?? lowSpace(place) ?? []);
    if (found.length > 0) return found;
    const names = places.map(({ directory }) => shownDirectory(directory));
    return ok(`There is enough disk space in ${[...new Set(names)].join(' and ')}.`);
  },
};

interface WrittenPlace {
  readonly setting: string;
  /** What is written there. */
  readonly what: string;
  readonly directory: string;
}

/** People paste secrets into the wrong setting. */
const shownDirectory = (directory: string): string =>
  shownSettingPath(directory) ?? 'its directory';

const WRITTEN_BYTES = 64 * 1024;

/** Tried, because modes and owners do not tell all: a disk may be read-only, or full. */
function notWritable({ setting, what, directory }: WrittenPlace): DoctorFinding | undefined {
  try {
    const made = mkdtempSync(join(directory, '.issuewright-doctor-'));
    try {
      writeFileSync(join(made, 'a'), Buffer.alloc(WRITTEN_BYTES, 1));
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
    return undefined;
  } catch (error) {
    return fault(
      `Cannot write ${what} (${setting}) to ${shownDirectory(directory)}: ${reasonOf(error)}.`,
      `Let user ${process.getuid?.() ?? ''}, who runs this command, write there, or set ${setting} to another directory.`,
    );
  }
}

function lowSpace({ setting, what, directory }: WrittenPlace): DoctorFinding | undefined {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  if (free >= LITTLE_FREE) return undefined;
  const say = free < LEAST_FREE ? fault : warning;
  return say(
    `${(free / GIB).toFixed(1)} GiB are free for ${what} (${setting}) in ${shownDirectory(directory)}.`,
    'Free some space, or use another disk. RETENTION_DAYS makes the service delete old sessions.',
  );
}

/** The directory itself, or what it will be made in. */
function nearest(directory: string): string {
  const place = resolve(directory);
  return existsSync(place) || dirname(place) === place ? place : nearest(dirname(place));
}

const git: DoctorCheck = {
  name: 'git',
  cure: 'Install git',
  look: async ({ environment }) => {
    const { lackOfGit, versionOfGit } =
      await import('../../workspace/git/engines/native/native-git.ts');
    const { GIT_ENGINE: engine = 'auto' } = environment;
    const lack = await lackOfGit();
    if (lack !== undefined)
      return fault(
        `Issuewright cannot clone and merge with git: ${lack}.`,
        engine === 'native'
          ? 'Install git 2.38 or newer, or remove GIT_ENGINE. Otherwise the service does not start.'
          : 'Install git 2.38 or newer. Until then, clones are slower, and base branches are not merged.',
      );
    const clones =
      engine === 'isomorphic' ? 'merges; a library clones (GIT_ENGINE)' : 'clones and merges';
    return ok(`git ${await versionOfGit()} ${clones}.`);
  },
};

const sandbox: DoctorCheck = {
  name: 'sandbox',
  cure: 'See docs/security.md for what the sandbox needs',
  look: async ({ config: { shell, store } }) => {
    if (!shell.isAllowed) return ok('The agent runs no commands (ALLOW_DANGEROUS_TOOLS is off).');
    if (shell.sandbox === 'unsafe')
      return warning(
        "SANDBOX is `unsafe`: the agent's commands can do anything that the service can.",
        'Remove SANDBOX, unless this machine and its network are disposable.',
      );
    const { openSandbox } = await import('../../../packages/sandbox/src/index.ts');
    const opened = await openSandbox({
      allowHosts: shell.allowHosts,
      privateHosts: shell.privateHosts,
      readOnlyPaths: shell.readPaths,
      hiddenPaths: [resolve(store.dataDir)],
      log,
    });
    if (opened.state === 'absent')
      return fault('The sandbox does not hold, so the agent runs no commands.', opened.why);
    await opened.sandbox.close();
    const { memoryLimit } = opened.sandbox;
    return ok(`The sandbox holds: all attacks from inside failed. ${memoryLimit}`);
  },
};

const images: DoctorCheck = {
  name: 'images',
  cure: 'Install skopeo and umoci',
  look: async ({ config: { shell, store } }) => {
    if (!shell.isAllowed || shell.images.allowed.length === 0)
      return ok('No repository chooses an image for its commands (ENVIRONMENT_IMAGES is not set).');
    if (shell.sandbox === 'unsafe')
      return warning(
        'ENVIRONMENT_IMAGES has no effect: only the sandbox runs commands in images.',
        'Remove SANDBOX, or ENVIRONMENT_IMAGES.',
      );
    const { missingImagePrograms } = await import('../../workspace/images/skopeo.ts');
    const missing = missingImagePrograms();
    if (missing.length > 0)
      return fault(
        `Repositories may choose images for their commands, and this machine has no ${missing.join(' and no ')}.`,
        'Install the packages `skopeo`, `umoci` and `util-linux`, or remove ENVIRONMENT_IMAGES.',
      );
    const { whyNotBelow } = await import('../../workspace/work-directory.ts');
    const why = whyNotBelow(join(nearest(store.dataDir), 'images'));
    return why === undefined
      ? ok('Repositories may choose images for their commands (ENVIRONMENT_IMAGES).')
      : fault(
          `Images cannot be used: ${why}.`,
          'Run the service as a user of its own, or let others pass through that directory (`chmod o+x`).',
        );
  },
};

export const MACHINE_CHECKS: readonly DoctorCheck[] = [
  database,
  budget,
  problems,
  disk,
  git,
  sandbox,
  images,
];

/** A service that is starting is waited for. */
const PATIENCE_MS = 15_000;

/** `undefined` if no service has used the database. Loads the store only now, so that the other checks start without it. */
export async function inDatabase<T>(
  { environment }: Examination,
  act: ControlAction<T>,
): Promise<T | undefined> {
  const { control, NoService } = await import('../../store/control.ts');
  const store = { ...readStore(environment), log, patienceMs: PATIENCE_MS };
  return control(store, act).catch((error: unknown) => {
    if (error instanceof NoService) return undefined;
    throw error;
  });
}
