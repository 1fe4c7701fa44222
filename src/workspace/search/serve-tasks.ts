import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../lib/errors.ts';

/** What a thread answers to one task: parts of a result, then that it is done or what went wrong. */
export type TaskAnswer<Part> =
  | { readonly part: Part }
  | { readonly done: true }
  | { readonly fault: string };

/** The thread's end of a `TaskThread`: performs each task as it comes. */
export function serveTasks<Task, Part>(perform: (task: Task) => Iterable<Part>): void {
  const post = (answer: TaskAnswer<Part>): void => parentPort?.postMessage(answer);
  parentPort?.on('message', (task: Task) => {
    try {
      for (const part of perform(task)) post({ part });
      post({ done: true });
    } catch (error) {
      post({ fault: messageOf(error) });
    }
  });
}
