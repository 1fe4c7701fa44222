import { readStore } from '../../config.ts';
import { packageVersion } from '../package-version.ts';
import { lastProof } from '../prove/last-proof.ts';
import { ok, warning, type DoctorCheck } from './examination.ts';

const proof: DoctorCheck = {
  name: 'proof',
  cure: 'Let this user read DATA_DIR',
  look: async ({ environment }) => {
    const last = await lastProof(readStore(environment).dataDir);
    if (last === undefined)
      return ok(
        'Not run yet: `issuewright prove OWNER/REPOSITORY` shows whether your GitHub does everything that Issuewright relies on.',
      );
    const { at, version, held, wrong } = last;
    const older = version === packageVersion() ? '' : `, with version ${version}`;
    const when = `On ${at.slice(0, 'YYYY-MM-DD'.length)}${older}`;
    if (wrong.length === 0)
      return ok(`${when}, \`issuewright prove\` found ${held} beliefs to hold.`);
    return warning(
      `${when}, \`issuewright prove\` found that this does not hold: ${wrong.join(', ')}.`,
      'Run it again, and paste its report into an issue of Issuewright.',
    );
  },
};

export const PROOF_CHECKS: readonly DoctorCheck[] = [proof];
