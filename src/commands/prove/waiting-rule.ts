// A rule for the proof's own base branch: without one, GitHub has nothing to wait for before it merges.
import { valueIn, type Asker } from './ask-github.ts';
import { NotAsked, requireAccepted, type Proof } from './proof.ts';
import { PROOF_PREFIX } from './scenery.ts';

/** At the end of the rule's name, so that whatever ends the proof, the next one restores the setting. */
const WAS_OFF = 'auto-merge was off';
/** A check that nobody reports: that of the proof itself has another name. */
const MISSING_CHECK = `${PROOF_PREFIX}-never`;

/**
 * A missing check is required for the base branch, and auto-merge is allowed, until the work is done. Only where the repository
 * is the proof's own, because this changes a setting of it.
 */
export async function whileRuleWaits(proof: Proof, work: () => Promise<void>): Promise<void> {
  const { id, person, scenery, story } = proof;
  if (!story.isMerged) throw new NotAsked('it changes a setting, so it needs an empty repository');
  const { name: branch } = await scenery.base();
  const { body: repository } = requireAccepted(await person.rest('GET', ''));
  const isAllowed = valueIn(repository, 'allow_auto_merge') === true;
  const name = `${PROOF_PREFIX} ${id}`;
  const body = {
    name: isAllowed ? name : `${name}: ${WAS_OFF}`,
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: [`refs/heads/${branch}`], exclude: [] } },
    rules: [
      {
        type: 'required_status_checks',
        parameters: {
          required_status_checks: [{ context: MISSING_CHECK }],
          strict_required_status_checks_policy: false,
        },
      },
    ],
  };
  try {
    const made = await person.rest('POST', 'rulesets', { body });
    if (made.status === 403 || made.status === 404)
      throw new NotAsked(
        'your token may not make rules (administration: write), or the plan of the account has none for this repository',
      );
    requireAccepted(made);
    if (!isAllowed) await allowAutoMerge(person);
    await work();
  } finally {
    await removeWaitingRules(person);
  }
}

async function allowAutoMerge(person: Asker): Promise<void> {
  const { body } = requireAccepted(
    await person.rest('PATCH', '', { body: { allow_auto_merge: true } }),
  );
  if (valueIn(body, 'allow_auto_merge') !== true)
    throw new NotAsked('the plan of the account has no auto-merge for this repository');
}

/** Resolves with what could not be removed. */
export async function removeWaitingRules(person: Asker): Promise<readonly string[]> {
  const { body } = await person.rest('GET', 'rulesets?includes_parents=false&per_page=100');
  const left: string[] = [];
  for (const rule of Array.isArray(body) ? body : []) {
    const name = String(valueIn(rule, 'name'));
    if (!name.startsWith(`${PROOF_PREFIX} `)) continue;
    // First the setting: the rule's name remembers that it was off.
    if (name.endsWith(WAS_OFF)) {
      const { status } = await person.rest('PATCH', '', { body: { allow_auto_merge: false } });
      if (status !== 200) {
        left.push(`rule ${name} and the setting "Allow auto-merge" (${status})`);
        continue;
      }
    }
    const { status } = await person.rest('DELETE', `rulesets/${String(valueIn(rule, 'id'))}`);
    if (status !== 204 && status !== 404) left.push(`rule ${name} (${status})`);
  }
  return left;
}
