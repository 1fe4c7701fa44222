/** What the operator says of every server. */
interface SharedServerSettings {
  /** Part of its tools' names. */
  readonly name: string;
  /** Tools that only look, as the server names them. All others are dangerous. */
  readonly safe: readonly string[];
  /** Milliseconds that it may take to start and to list its tools. A run waits as long for it. */
  readonly startMs: number;
  /** Milliseconds that a call may take. */
  readonly timeoutMs: number;
}

/** A program that is started for each run, and spoken to through its pipes. */
export interface LocalServer extends SharedServerSettings {
  readonly kind: 'local';
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly egress: readonly string[];
}

/** A server that runs elsewhere, behind an address. */
interface RemoteServer extends SharedServerSettings {
  readonly kind: 'remote';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type ServerSettings = LocalServer | RemoteServer;
