// Opens what an evaluation needs, and finds out what could stop it before anyone pays for it.
import { join } from 'node:path';
import { readEvaluation, secretsByHand, type Environment } from '../../config.ts';
import { gitHubByToken } from '../../github/by-token.ts';
import { TellPerson } from '../../lib/errors.ts';
import { createRedactor } from '../../lib/text/redact.ts';
import { isPriceKnown } from '../../models/index.ts';
import { requireMergingGit } from '../../workspace/git/engines/native/native-git.ts';
import { TaskRepositories } from '../../workspace/git/folder/task-repository.ts';
import { openHandContext, requireStopped, type HandOptions } from '../hand-context.ts';
import { requireOwnHost, type IssueAddress } from '../run/issue-address.ts';
import { EXIT_CODES } from '../run/result.ts';
import { Evaluation, type EvaluationOptions } from './evaluation.ts';
import { openResults } from './results-file.ts';

export interface EvaluationRequest extends EvaluationOptions, Pick<HandOptions, 'terminal'> {
  readonly address: IssueAddress;
  readonly environment: Environment;
  /** Of the results; `undefined`: in the data directory. */
  readonly path: string | undefined;
}

const STOPPING = [
  'Stopping: the unfinished task is dropped. To continue, run the same command.',
  'Stopping. Press Ctrl-C again to end at once.',
];

/** Resolves with the exit code. */
export async function runEvaluation(request: EvaluationRequest): Promise<number> {
  const config = readEvaluation(request.environment);
  const redactor = createRedactor(secretsByHand(config));
  requireOwnHost('repository', request.address, config.github);
  requirePrices(config.models);
  if (!config.shell.isAllowed)
    throw new TellPerson(
      'An evaluation runs the tests of the repository, in the sandbox. Add --allow-dangerous-tools.',
    );
  await requireMergingGit();
  const context = await openHandContext(config, redactor, request, STOPPING);
  try {
    if (context.service.shells === undefined)
      throw new TellPerson(
        'The sandbox does not work on this machine, so no tests can be run (`LOG_LEVEL=warn` says why).',
      );
    const { log } = context.service;
    const gitHub = gitHubByToken({ ...config.github, signal: context.stopped, log, redactor });
    const owner = await gitHub.owner();
    const github = await gitHub.repository(request.address, owner, 'read');
    const { id, owner: login, name } = github.ref;
    const path = request.path ?? join(config.dataDir, 'evaluations', `${login}-${name}.jsonl`);
    const file = await openResults(path, { id, name: `${login}/${name}` });
    const repositories = await TaskRepositories.open(name, context.stopped);
    try {
      const { offered: models } = config.models;
      const parts = { request, models, context, file, github, repositories, owner };
      return await new Evaluation(parts).run();
    } finally {
      await repositories.close();
      await file.close();
    }
  } catch (error) {
    requireStopped(error, context);
    return EXIT_CODES.stopped;
  } finally {
    await context.close();
  }
}

/** Without prices, nothing would hold the budget. */
function requirePrices({ offered, review, catalog }: ReturnType<typeof readEvaluation>['models']) {
  const all = [...offered, review].filter((name) => name !== undefined);
  const unknown = all.filter((name) => !isPriceKnown(name, catalog));
  if (unknown.length === 0) return;
  throw new TellPerson(
    `The price of ${unknown.join(', ')} is unknown, so the budget cannot hold. Set it in MODEL_CATALOG (docs/models.md).`,
  );
}
