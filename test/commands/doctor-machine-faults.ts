// Faults to plant in the machine, its disks and its database, and what the doctor says of each.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { INSTALLATION, NOWHERE, type Case, type DoctorScene } from './doctor-scene.ts';

export const OF_THE_MACHINE: readonly Case[] = [
  {
    fault: 'a data directory that cannot be made',
    check: 'disk',
    says: /^Cannot write repository data \(DATA_DIR\) to \/.*\/a-file: not a directory/,
    cure: /set DATA_DIR to another/,
    plant: (doctor) => {
      const file = join(doctor.directory, 'a-file');
      writeFileSync(file, '');
      return { settings: { DATA_DIR: join(file, 'data') } };
    },
  },
  {
    fault: 'a directory for temporary files that is gone',
    check: 'disk',
    says: /^Cannot write clones \(TMPDIR\) to \/.*\/gone: no such file/,
    cure: /set TMPDIR to another/,
    plant: (doctor) => ({ settings: { TMPDIR: join(doctor.directory, 'gone') } }),
  },
  {
    fault: 'a database that does not answer',
    check: 'database',
    says: /Cannot open the database at 127\.0\.0\.1:1/,
    cure: /DATABASE_URL/,
    plant: () => ({ settings: { DATABASE_URL: `postgres://me@${NOWHERE}/none` } }),
  },
  {
    fault: 'an hour whose writes are used up',
    check: 'budget',
    says: /^\d+ of \d+ writes an hour are left for example/,
    cure: /CONCURRENCY_INSTALLATION/,
    plant: async (doctor) => {
      const database = new pg.Client({ connectionString: doctor.scene.databaseUrl });
      await database.connect();
      await database.query(
        `insert into issuewright.writes (installation, at)
         select $1, now() - interval '10 minutes' from generate_series(1, 490)`,
        [INSTALLATION],
      );
      return {
        undo: async () => {
          await database.query(
            `delete from issuewright.writes where at < now() - interval '9 minutes'`,
          );
          await database.end();
        },
      };
    },
  },
  {
    fault: 'a budget that is used up',
    check: 'problems',
    says: /^Since .* UTC: BUDGET_DAY is used up/,
    cure: /clears once/,
    plant: (doctor) => plantProblem(doctor, {}),
  },
  {
    fault: 'an address that takes no notifications',
    check: 'problems',
    says: /^The address in NOTIFY_URL does not accept messages/,
    cure: /log of the service/,
    plant: (doctor) => plantProblem(doctor, { NOTIFY_URL: `http://${NOWHERE}/hook` }),
  },
];

async function plantProblem(doctor: DoctorScene, settings: Record<string, string>) {
  const database = new pg.Client({ connectionString: doctor.scene.databaseUrl });
  await database.connect();
  // A cause that no process ends by itself.
  await database.query(
    `insert into issuewright.problems (cause, subject, text, since, taken_until)
     values ('key_rejected', 'planted', 'BUDGET_DAY is used up.', now() - interval '1 hour', 'infinity')`,
  );
  return {
    settings,
    undo: async () => {
      await database.query(`delete from issuewright.problems where subject = 'planted'`);
      await database.end();
    },
  };
}

/** With mounts of its own, so only for root. */
export const OF_OTHER_MACHINES: readonly Case[] = [
  {
    fault: 'a disk that is almost full',
    check: 'disk',
    says: /^0\.0 GiB are free for clones \(TMPDIR\) in \//,
    cure: /Free some space/,
    plant: () => ({
      machine:
        'mkdir -p small && mount -t tmpfs -o size=16m none small && export TMPDIR="$PWD/small"',
    }),
  },
  {
    fault: 'a data directory on a disk that is read-only',
    check: 'disk',
    says: /^Cannot write repository data \(DATA_DIR\) to \/.*: a disk of Issuewright is read-only/,
    cure: /Let user \d+, who runs this command, write there/,
    plant: () => ({
      machine: 'mkdir -p fixed && mount -t tmpfs -o ro none fixed && export DATA_DIR="$PWD/fixed"',
    }),
  },
  {
    fault: 'a machine without git',
    check: 'git',
    says: /cannot clone and merge with git: its machine has no git/,
    cure: /Install git 2\.38/,
    plant: () => ({ machine: without('git') }),
  },
  {
    fault: 'a git that is too old',
    check: 'git',
    says: /cannot clone and merge with git: its machine has git 2\.30\.2/,
    cure: /Install git 2\.38/,
    plant: () => ({
      machine: `${without('git')}; printf '#!/bin/sh\\necho git version 2.30.2\\n' > /mnt/git; chmod 755 /mnt/git`,
    }),
  },
  {
    fault: 'a machine without skopeo, where repositories may choose images',
    check: 'images',
    says: /may choose images for their commands, and this machine has no skopeo/,
    cure: /Install the packages `skopeo`, `umoci` and `util-linux`/,
    plant: () => ({
      machine: without('skopeo'),
      settings: { ENVIRONMENT_IMAGES: 'ghcr.io/acme/*' },
    }),
  },
  {
    fault: 'a machine without bubblewrap',
    check: 'sandbox',
    says: /The sandbox does not hold/,
    cure: /Install the package `bubblewrap`/,
    plant: () => ({ machine: without('bwrap') }),
  },
];

const without = (program: string): string =>
  `mount -t tmpfs none /mnt; cp -a /usr/bin/. /mnt; rm /mnt/${program}; mount --bind /mnt /usr/bin`;
