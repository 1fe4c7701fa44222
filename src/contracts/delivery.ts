// A webhook delivery of GitHub, from the route to the journal.

export interface Delivery {
  /** `X-GitHub-Delivery`: the same when GitHub delivers it again. */
  readonly id: string;
  /** `X-GitHub-Event`, such as `issues`; a handler gets it with its action: `issues.labeled`. */
  readonly event: string;
}

/** As it came in; nothing of it is verified yet. */
export interface SignedDelivery extends Delivery {
  /** `X-Hub-Signature-256` */
  readonly signature: string;
  /** The bytes as they came, since the signature is of the bytes. */
  readonly rawBody: Buffer;
}

/** Its signature is valid. */
export interface VerifiedDelivery extends Delivery {
  readonly payload: unknown;
}

/** The HTTP status to answer with, and words that may be shown to the sender. */
export interface DeliveryAnswer {
  readonly status: number;
  readonly message: string;
}
