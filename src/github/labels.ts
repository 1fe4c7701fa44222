import { Gone } from './errors.ts';
import type { Gate } from './gate.ts';

/** Puts a label on an issue; GitHub makes one that the repository does not have. Safe to repeat. */
export async function addLabel(gate: Gate, issue: number, name: string): Promise<void> {
  await gate.octokit.rest.issues.addLabels({
    ...where(gate),
    issue_number: issue,
    labels: [name],
    request: { repeatable: true },
  });
}

/** One that is not there is no fault. */
export async function removeLabel(gate: Gate, issue: number, name: string): Promise<void> {
  try {
    await gate.octokit.rest.issues.removeLabel({ ...where(gate), issue_number: issue, name });
  } catch (error) {
    if (!(error instanceof Gone)) throw error;
  }
}

const where = ({ repository }: Gate) => ({ owner: repository.owner, repo: repository.name });
