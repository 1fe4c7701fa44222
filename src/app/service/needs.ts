import type { Need } from '../../contracts/need.ts';
import type { OpenStore } from '../../store/open.ts';
import type { Shells } from './shells.ts';

/** The sandbox of a process whose sessions may run commands: it is tried at the start. */
export class SandboxNeed implements Need {
  readonly lack = 'the sandbox, in which the agent runs commands, is not available';
  #check = (): Promise<void> => Promise.reject(new Error('it was not tried yet'));

  readonly check = (): Promise<void> => this.#check();

  /** `undefined`: the agent works without commands, although the operator allows them. */
  tried(shells: Pick<Shells, 'ready'> | undefined): void {
    this.#check = async () => {
      if (shells === undefined) throw new Error('it was not available when the service started');
      await shells.ready();
    };
  }
}

/** What a process needs to do its work. */
export const needsOf = (
  store: Pick<OpenStore, 'ready' | 'queue'>,
  sandbox: SandboxNeed | undefined,
): readonly Need[] => [
  { lack: 'the database does not answer', check: () => store.ready() },
  { lack: 'the queue does not answer', check: () => store.queue.ready() },
  ...(sandbox === undefined ? [] : [sandbox]),
];
