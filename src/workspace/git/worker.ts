// The entry point of a git thread. It knows one workspace at a time, and serves its calls one at a time.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, getHeapStatistics, serialize } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { removeTree } from '../remove-tree.ts';
import { CANCELLED, packError } from './operations.ts';
import type {
  GitAnswer,
  GitCall,
  GitMessage,
  GitPlace,
  GitThreadData,
  LeaveResult,
  SaveResult,
} from './operations.ts';
import { ClonedRepository, type RepositoryState } from './cloned-repository.ts';
import { prepareSpare } from './engines/native/spare-tree.ts';

const data = workerData as GitThreadData;

interface Workspace {
  /** Ends the processes of its git engine. */
  readonly cancel: AbortController;
  readonly place: GitPlace;
  readonly resumes: boolean;
  /** Opened by the first call. */
  repository?: ClonedRepository;
}

let workspace: Workspace | undefined;

/** Beside the clone: only our own threads write there. */
const stateFile = ({ gitdir }: GitPlace): string => join(gitdir, 'issuewright-state');

async function perform({ operation, argument }: GitCall): Promise<unknown> {
  if (workspace === undefined) throw new Error('no workspace has entered the git thread');
  const { place, resumes, cancel } = workspace;
  workspace.repository ??= new ClonedRepository(
    place,
    cancel.signal,
    resumes ? (deserialize(readFileSync(stateFile(place))) as RepositoryState) : undefined,
  );
  const repository = workspace.repository;
  // `GitClient.call` is typed by the same table, so the argument fits the operation.
  const act = repository[operation].bind(repository) as (argument: unknown) => Promise<unknown>;
  return act(argument);
}

async function answerOf(work: Promise<unknown>): Promise<GitAnswer> {
  try {
    return { result: await work };
  } catch (error) {
    return { error: packError(error) };
  }
}

async function leave(saves: boolean): Promise<LeaveResult> {
  const saved = saves && workspace !== undefined ? save(workspace) : { isSaved: false };
  await workspace?.repository?.close();
  workspace = undefined;
  return { ...saved, mayStay: bytesTaken() <= data.mostKeptBytes };
}

/** The next call of the workspace says why it failed. */
function save({ place, resumes, repository }: Workspace): SaveResult {
  if (repository === undefined) return { isSaved: resumes };
  try {
    writeFileSync(stateFile(place), serialize(repository.state), { mode: 0o600 });
    return { isSaved: true };
  } catch (error) {
    return { isSaved: false, failure: packError(error) };
  }
}

function bytesTaken(): number {
  const { used_heap_size: heap, external_memory: buffers } = getHeapStatistics();
  return heap + buffers;
}

/** Ends what prepares a spare work tree. */
let preparing = new AbortController();

/** Must not throw. */
async function serve(message: GitMessage): Promise<void> {
  if ('enter' in message)
    workspace = {
      cancel: new AbortController(),
      place: message.enter,
      resumes: message.resumes,
    };
  else parentPort?.postMessage(await replyTo(message));
}

async function replyTo(message: Exclude<GitMessage, { readonly enter: GitPlace }>) {
  if ('cancel' in message) return CANCELLED;
  if ('leave' in message) return leave(message.saves);
  if ('remove' in message) return answerOf(removeTree(message.remove));
  if (!('prepare' in message)) return answerOf(perform(message));
  preparing = new AbortController();
  return answerOf(prepareSpare(message.prepare, message.commit, preparing.signal));
}

let previous: Promise<void> = Promise.resolve();
parentPort?.on('message', (message: GitMessage) => {
  if ('cancel' in message) for (const each of [workspace?.cancel, preparing]) each?.abort();
  previous = previous.then(() => serve(message));
});
