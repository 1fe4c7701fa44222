// The entry of the git thread: one repository, one call after another.
import { parentPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { GitAnswer, GitCall, GitOperations, GitPlace } from './operations.ts';
import { Repository } from './repository.ts';
import { packError } from './sent-error.ts';

/** Answers the calls of a `GitClient`; must not throw. */
function serve(port: MessagePort, operations: GitOperations): void {
  const answer = async ({ id, operation, argument }: GitCall): Promise<GitAnswer> => {
    try {
      // The other end is typed by the same table: operation and argument belong together.
      const act = operations[operation].bind(operations) as (argument: unknown) => Promise<unknown>;
      return { id, result: await act(argument) };
    } catch (error) {
      return { id, error: packError(error) };
    }
  };
  let previous: Promise<void> = Promise.resolve();
  port.on('message', (call: GitCall) => {
    previous = previous.then(async () => port.postMessage(await answer(call)));
  });
}

// The first message of a `GitClient` is its place; a thread may wait for it for long.
const port = parentPort;
port?.once('message', (place: GitPlace) => serve(port, new Repository(place)));
