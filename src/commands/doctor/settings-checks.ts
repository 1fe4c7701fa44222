import { chmodSync, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, readConfig, readStore } from '../../config.ts';
import type { Ineffective } from '../../config/faults.ts';
import { keyFilesOf } from '../../config/key-files.ts';
import { misspelledIn } from '../../config/mistakes/ineffective.ts';
import { fault, ok, warning, type DoctorCheck, type DoctorFinding } from './examination.ts';
import { packageVersion } from '../command.ts';
import { lastProof } from '../prove/proof.ts';
import { spellCommand } from '../../lib/program-name.ts';

const WHERE =
  'Correct it in the environment or in .env. docs/configuration.md explains all settings.';

/** Settings that `issuewright setup` writes. */
const OF_THE_APP = new Set(['APP_ID', 'PRIVATE_KEY', 'WEBHOOK_SECRET', 'ALLOWED_OWNERS']);
const BY_SETUP = `If there is no App yet, \`${spellCommand('setup')}\` creates it and writes this setting. Otherwise: ${WHERE}`;

const settings: DoctorCheck = {
  name: 'settings',
  cure: 'Correct the settings in the environment or in .env',
  look: async ({ environment }) => {
    const set = Object.entries(environment).filter((pair): pair is [string, string] => !!pair[1]);
    try {
      const { ineffective } = readConfig(environment);
      return ineffective.length > 0 ? ineffective.map(odd) : ok('All settings are valid.');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return [
        ...error.faults.map(({ name, fault: why }) =>
          fault(`${name}: ${why}.`, OF_THE_APP.has(name) ? BY_SETUP : WHERE),
        ),
        ...misspelledIn(Object.fromEntries(set)).map(odd),
      ];
    }
  },
};

const odd = ({ name, why, cure }: Ineffective): DoctorFinding =>
  warning(`${name} is ignored: ${why}.`, `${cure}.`);

const OTHERS = 0o077;

const secrets: DoctorCheck = {
  name: 'secrets',
  cure: 'Let this user read the file',
  look: async ({ environment }) => {
    const named = ['.env', ...keyFilesOf(environment)];
    // Setup keeps the files that it replaced.
    const files = named.flatMap((file) => [file, `${file}.old`]).filter((one) => existsSync(one));
    const open = files.filter((file) => (statSync(file).mode & OTHERS) !== 0);
    if (open.length > 0) return open.map(readable);
    return ok(
      files.length === 0
        ? 'No file holds a secret.'
        : `Only their owner can read ${files.join(' and ')}.`,
    );
  },
};

const readable = (file: string): DoctorFinding =>
  warning(
    `Other users of this machine can read ${file}.`,
    `Run \`chmod 600 ${file}\`, as the user that runs the service, or \`${spellCommand('doctor')} --fix\`.`,
    async () => {
      chmodSync(file, 0o600);
      return `Only you can read ${resolve(file)} now.`;
    },
  );

export const SETTINGS_CHECKS: readonly DoctorCheck[] = [settings, secrets];

const proof: DoctorCheck = {
  name: 'proof',
  cure: 'Let this user read DATA_DIR',
  look: async ({ environment }) => {
    const last = await lastProof(readStore(environment).dataDir);
    if (last === undefined)
      return ok(
        `Not run yet: \`${spellCommand('prove')} OWNER/REPOSITORY\` shows whether your GitHub does everything that Issuewright relies on.`,
      );
    const { at, version, held, wrong } = last;
    const older = version === packageVersion() ? '' : `, with version ${version}`;
    const when = `On ${at.slice(0, 'YYYY-MM-DD'.length)}${older}`;
    if (wrong.length === 0)
      return ok(`${when}, \`${spellCommand('prove')}\` confirmed ${held} beliefs.`);
    return warning(
      `${when}, \`${spellCommand('prove')}\` found these beliefs wrong: ${wrong.join(', ')}.`,
      'Run it again, and paste its report into an issue of Issuewright.',
    );
  },
};

export const PROOF_CHECKS: readonly DoctorCheck[] = [proof];
