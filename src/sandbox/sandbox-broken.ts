import { TellPerson } from '../lib/errors.ts';

/** No command could be started, or not in the way that it has to be. */
export class SandboxBroken extends TellPerson {
  /** What bubblewrap said, or the system. */
  readonly complaint: string;

  constructor(complaint: string, options?: ErrorOptions) {
    super(
      `The sandbox could not start a command: ${complaint}. It could when the service started; docs/security.md says what it needs of the machine.`,
      options,
    );
    this.complaint = complaint;
  }
}
