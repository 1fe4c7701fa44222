// The entry point of the git thread. It serves one workspace at a time, and its calls one at a time.
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { LEAVE, packError } from './operations.ts';
import type { GitAnswer, GitCall, GitOperations, GitPlace, GitThreadData } from './operations.ts';
import { ClonedRepository } from './cloned-repository.ts';

const data = workerData as GitThreadData;

/** The first message of a `GitClient` is its place. A spare thread may wait for it for a long time. */
function awaitPlace(port: MessagePort): void {
  port.once('message', (place: GitPlace) => serve(port, new ClonedRepository(place)));
}

/** Serves the calls of a `GitClient` until its `LEAVE`. Must not throw. */
function serve(port: MessagePort, operations: GitOperations): void {
  const answer = async ({ id, operation, argument }: GitCall): Promise<GitAnswer> => {
    try {
      // `GitClient.call` is typed by the same table, so the argument fits the operation.
      const act = operations[operation].bind(operations) as (argument: unknown) => Promise<unknown>;
      return { id, result: await act(argument) };
    } catch (error) {
      return { id, error: packError(error) };
    }
  };
  let previous: Promise<void> = Promise.resolve();
  const hear = (message: GitCall | typeof LEAVE): void => {
    if (message === LEAVE) return leave(port, hear);
    previous = previous.then(async () => port.postMessage(await answer(message)));
  };
  port.on('message', hear);
}

function leave(port: MessagePort, hear: (message: GitCall) => void): void {
  if (bytesTaken() > data.mostKeptBytes) return port.close();
  awaitPlace(port);
  port.off('message', hear);
  port.postMessage(LEAVE);
}

function bytesTaken(): number {
  const { used_heap_size: heap, external_memory: buffers } = getHeapStatistics();
  return heap + buffers;
}

if (parentPort !== null) awaitPlace(parentPort);
