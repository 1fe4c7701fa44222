// Plays the story with the service that runs, or else with one in this process.
import { TellPerson } from '../../lib/errors.ts';
import { reasonOf } from '../../lib/reason.ts';
import type { CommandContext } from '../command.ts';
import { isProxy } from '../event-proxy.ts';
import { askLocalService } from '../local-service.ts';
import { openedDelivery } from './beliefs/issues.ts';
import { startInProcess, type InProcess } from './in-process.ts';
import type { ProofApp } from './open-app.ts';
import { NotAsked, Wrong, askBeliefs, type Belief, type Proof, type Hearing } from './proof.ts';
import { STORY } from './story.ts';

interface Performance {
  readonly proof: Proof;
  readonly hearing: Hearing;
}

export async function playStory(
  context: CommandContext,
  app: ProofApp,
  { proof, hearing }: Performance,
): Promise<void> {
  let own: InProcess | undefined;
  try {
    const isRunning = await findService(app, proof);
    context.print(
      isRunning
        ? '\nThe running service does the work.'
        : '\nNo service is running, so this command runs one for this repository.',
    );
    if (!isRunning) own = await startOwn(context, app, proof);
  } catch (error) {
    if (hearing.signal.aborted || !(error instanceof TellPerson || error instanceof Wrong))
      throw error;
    await askBeliefs(STORY.map(withReason(error.message)), proof, hearing);
    return;
  }
  try {
    await askBeliefs(STORY, withFault(proof, own), hearing);
  } finally {
    await own?.close();
  }
}

const withReason =
  (why: string) =>
  (belief: Belief): Belief => ({ ...belief, ask: () => Promise.reject(new NotAsked(why)) });

async function startOwn(
  context: CommandContext,
  { config, github, repository }: ProofApp,
  proof: Proof,
) {
  const isVerbose = context.options['verbose'] === true;
  try {
    const parts = { config, github, repository, since: proof.since, isVerbose };
    return await startInProcess(context, parts);
  } catch (error) {
    throw new TellPerson(`The service does not start: ${reasonOf(error)}`);
  }
}

/** A wait ends when no event can come any more. */
const withFault = (proof: Proof, own: InProcess | undefined): Proof => ({
  ...proof,
  until: (what, look, seconds) =>
    proof.until(
      what,
      async () => {
        const fault = own?.fault();
        if (fault !== undefined) throw new Wrong(`no events come from GitHub: ${fault}`);
        return look();
      },
      seconds,
    ),
});

const PROXY_MS = 10_000;

/** Whether a service gets the webhooks of the App. @throws {TellPerson} if it runs, and could not play the story */
async function findService({ config, github }: ProofApp, proof: Proof): Promise<boolean> {
  const { said, url } = await askLocalService(config.http);
  const delivery = await openedDelivery(proof);
  const hook = await github.setUp.hook();
  const signal = AbortSignal.timeout(PROXY_MS);
  const isElsewhere =
    delivery.isReceived && hook.url !== undefined && !(await isProxy(hook.url, signal));
  if (said?.['status'] !== 'ready' && !isElsewhere) return false;
  if (said?.['paused'] !== undefined)
    throw new TellPerson(`The service at ${url} is paused. Resume it: \`issuewright resume\``);
  if (!proof.story.isMerged)
    throw new TellPerson(
      'A service is running, and would use its own model here, at its price. Name an empty repository, or stop the service during the proof',
    );
  if (config.agent.protocol !== 'auto' || config.agent.mode !== 'agent')
    throw new TellPerson(
      'A service is running with PROTOCOL or MODE set, so the script cannot call tools. Stop the service during the proof',
    );
  return true;
}
