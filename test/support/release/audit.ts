// Checks what ships: licences, and vulnerabilities that the registry knows. Exits with 1 if it found something,
// and with 2 if the registry did not answer, which says nothing about vulnerabilities.
import { spawnSync } from 'node:child_process';
import { licenceFaults } from './licences.ts';
import { shippedPackages } from './lock-file.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const faults = licenceFaults(shippedPackages());
for (const fault of faults) say(`Licence not allowed: ${fault}`);

const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });
const count = vulnerabilities(stdout ?? '');
if (count === undefined) {
  say(`The registry gave no audit, so nothing is known: ${error?.message ?? stdout.trim()}`);
  process.exitCode = 2;
} else {
  say(`${count} vulnerable packages, ${faults.length} licences that are not allowed.`);
  if (count > 0) spawnSync('npm', ['audit', '--omit=dev'], { stdio: 'inherit' });
  process.exitCode = count + faults.length === 0 ? 0 : 1;
}

/** `undefined` if this is no report. */
function vulnerabilities(json: string): number | undefined {
  try {
    const total: unknown = JSON.parse(json).metadata.vulnerabilities.total;
    return typeof total === 'number' ? total : undefined;
  } catch {
    return undefined;
  }
}
