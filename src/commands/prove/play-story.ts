// Plays the story with the service that runs, or else with one in this process.
import { messageOf, TellPerson } from '../../lib/errors.ts';
import { reasonOf } from '../../lib/reason.ts';
import type { CommandContext } from '../command.ts';
import { isProxy } from '../event-proxy.ts';
import { askLocalService } from '../local-service.ts';
import { openedDelivery } from './beliefs/issues.ts';
import type { ProofApp } from './open-app.ts';
import {
  askBeliefs,
  NotAsked,
  BeliefRefuted,
  type Belief,
  type AnswerListener,
  type Proof,
} from './proof.ts';
import { STORY } from './story.ts';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import type { RepositoryRef } from '../../contracts/intent.ts';
import type { DeliveryAttempt } from '../../contracts/delivery.ts';
import type { GitHub } from '../../github/index.ts';
import { PROOF_MODEL } from '../../models/providers/scripted.ts';
import { WEBHOOK_PATH } from '../../web/webhook-route.ts';
import { valueIn } from './ask-github.ts';
import { spellCommand } from '../../lib/program-name.ts';

interface Performance {
  readonly proof: Proof;
  readonly hearing: AnswerListener;
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
    if (hearing.signal.aborted || !(error instanceof TellPerson || error instanceof BeliefRefuted))
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
        if (fault !== undefined) throw new BeliefRefuted(`no events come from GitHub: ${fault}`);
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
    throw new TellPerson(
      `The service at ${url} is paused. Resume it: \`${spellCommand('resume')}\``,
    );
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

// The service in this process, for one repository, with a database that is thrown away and the scripted model. Nothing reaches
// it from outside: it gets what GitHub lists as delivered to the App, or not delivered.

interface InProcess {
  /** Why it gets no events any more; `undefined`: it gets them. */
  readonly fault: () => string | undefined;
  close(): Promise<void>;
}

interface InProcessOptions {
  readonly config: Config;
  readonly repository: RepositoryRef;
  readonly github: GitHub;
  /** Deliveries from then on are handed over. */
  readonly since: Date;
  readonly isVerbose: boolean;
}

const EVERY_MS = 1000;

async function startInProcess(
  { startService }: CommandContext,
  options: InProcessOptions,
): Promise<InProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'issuewright-prove-'));
  const ended = new AbortController();
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  try {
    const service = await startService(configFor(options, dataDir), 'start', ended.signal);
    const url = service.front?.addresses.url ?? '';
    let fault: string | undefined;
    const forwarding = forward(options, `${url}${WEBHOOK_PATH}`, ended.signal).catch(
      (error: unknown) => {
        if (!ended.signal.aborted) fault = messageOf(error);
      },
    );
    return {
      fault: () => fault,
      close: async () => {
        ended.abort();
        await forwarding;
        await service.stop({ patient: false });
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

const NOWHERE = { host: '127.0.0.1', port: 0 };

function configFor({ config, repository, isVerbose }: InProcessOptions, dataDir: string): Config {
  const { owner, name } = repository;
  return {
    ...config,
    github: {
      ...config.github,
      allowedOwners: [owner.toLowerCase()],
      onlyRepository: { owner, name },
    },
    models: {
      offered: [PROOF_MODEL],
      review: undefined,
      embedding: undefined,
      settings: new Map(),
      catalog: undefined,
      secrets: [],
    },
    agent: { ...config.agent, protocol: 'auto', mode: 'agent' },
    shell: { ...config.shell, isAllowed: false },
    servers: [],
    http: NOWHERE,
    pages: { ...config.pages, ...NOWHERE, publicUrl: undefined },
    store: { databaseUrl: undefined, dataDir },
    metrics: undefined,
    openTelemetry: undefined,
    ineffective: [],
    logLevel: isVerbose ? config.logLevel : 'silent',
  };
}

/** Hands over each delivery of the repository once, in the order of the events, until the signal. */
async function forward(
  { github, repository, since, config }: InProcessOptions,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Set<string>();
  for (;;) {
    for (const one of await unseen(github, since, seen)) {
      if (seen.has(one.id)) continue;
      const payload = await github.deliveries.payload(one.attempt);
      seen.add(one.id);
      if (valueIn(payload, 'repository', 'id') !== repository.id) continue;
      await handOver(url, one, JSON.stringify(payload), config.github.webhookSecrets[0] ?? '');
    }
    await pause(EVERY_MS, undefined, { signal });
  }
}

/** Oldest first. */
async function unseen(
  { deliveries }: GitHub,
  since: Date,
  seen: ReadonlySet<string>,
): Promise<readonly DeliveryAttempt[]> {
  const found: DeliveryAttempt[] = [];
  const isNew = ({ at }: DeliveryAttempt): boolean => Date.parse(at) >= since.getTime() - 1000;
  for await (const page of deliveries.pages()) {
    found.push(...page.filter((one) => isNew(one) && !seen.has(one.id)));
    if (!page.every(isNew)) break;
  }
  return found.toReversed().toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

async function handOver(
  url: string,
  { id, event }: DeliveryAttempt,
  body: string,
  secret: string,
): Promise<void> {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const answer = await fetch(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': id,
      'x-hub-signature-256': `sha256=${signature}`,
    },
  });
  await answer.arrayBuffer();
}
