// A webhook delivery of GitHub, from the route to the journal.

export interface Delivery {
  /** `X-GitHub-Delivery`: the same when GitHub delivers it again. */
  readonly id: string;
  /** `X-GitHub-Event`, such as `issues`; a handler gets it with its action: `issues.labeled`. */
  readonly event: string;
}

/** Checks the signature of a body while the body arrives. */
export interface SignatureCheck {
  /** Takes the bytes as they came, since the signature is of the bytes. */
  update(chunk: Buffer): void;
  /** Call once, after the last chunk. */
  isValid(): boolean;
}

/** Its signature is valid; its body is not parsed yet. */
export interface RawDelivery extends Delivery {
  readonly rawBody: Buffer;
}

/** Its signature is valid, and its body is a JSON object. */
export interface VerifiedDelivery extends Delivery {
  readonly payload: unknown;
}

/** One attempt of GitHub to deliver, as its list has it. */
export interface DeliveryAttempt extends Delivery {
  /** Of this attempt; `id` is the same for all attempts of a delivery. */
  readonly attempt: number | bigint;
  /** The event with its action, such as `issues.labeled`. */
  readonly name: string;
  /** ISO time, by GitHub's clock. */
  readonly at: string;
  /** Of the answer; 0 if there was none. */
  readonly status: number;
  /** The answer was a 2xx. */
  readonly isReceived: boolean;
}

/** What GitHub keeps of the deliveries to this App: about three days. */
export interface SentDeliveries {
  /** Pages of attempts, the newest first. */
  pages(): AsyncIterable<readonly DeliveryAttempt[]>;
  /** What was to be delivered; `undefined` if GitHub does not show it. */
  payload(attempt: number | bigint): Promise<object | undefined>;
  /** Which of the secrets it was signed with; -1: none of them, or GitHub does not show it. */
  secretOf(attempt: number | bigint, secrets: readonly string[]): Promise<number>;
  /** Has GitHub deliver it again, with the same `id`. */
  deliverAgain(attempt: number | bigint): Promise<void>;
}

/** The HTTP status to answer with, and words that may be shown to the sender. */
export interface DeliveryAnswer {
  readonly status: number;
  readonly message: string;
}
