// The service of this machine, as a command finds it.
const TIMEOUT_MS = 10_000;

interface LocalService {
  readonly url: string;
  /** What it says of its readiness; `undefined`: nothing answers. */
  readonly said: Readonly<Record<string, unknown>> | undefined;
}

export async function askLocalService(http: {
  readonly host: string;
  readonly port: number;
}): Promise<LocalService> {
  const url = localUrl(http);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(`${url}/readyz`, { signal }).catch(() => undefined);
  if (answer === undefined) return { url, said: undefined };
  const said: unknown = await answer.json().catch(() => ({}));
  return { url, said: Object(said) as Readonly<Record<string, unknown>> };
}

/** An address of this machine that reaches what listens on `host`. */
function localUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
