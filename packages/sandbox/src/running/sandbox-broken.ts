import { TellPerson } from '../../../../src/lib/errors.ts';

/** A command could not be started, or not contained as required. */
export class SandboxBroken extends TellPerson {
  /** The message of bubblewrap or of the system. */
  readonly complaint: string;

  constructor(complaint: string, options?: ErrorOptions) {
    super(
      `The sandbox could not start a command: ${complaint}. It worked when the service started, so something changed on this machine. docs/security.md lists what the sandbox needs.`,
      options,
    );
    this.complaint = complaint;
  }
}
