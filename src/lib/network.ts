// How the requests of this process leave the machine: through the operator's proxy, and trusting authorities of its own.
import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

export interface NetworkSettings {
  /** The proxy for `http:` and for `https:` addresses, with its user and password. */
  readonly proxies: Readonly<Partial<Record<'http:' | 'https:', string>>>;
  /** Hosts that are reached without it: `host` and all below it, or `host:port`. */
  readonly direct: readonly string[];
  /** Certificates in PEM that this process was not started with. */
  readonly authorities: readonly string[];
}

/** Worker threads that start later read it. */
const KEY = 'issuewright network';
const NONE: NetworkSettings = { proxies: {}, direct: [], authorities: [] };

const settings = (): NetworkSettings =>
  (getEnvironmentData(KEY) as NetworkSettings | undefined) ?? NONE;

/**
 * Has all requests of this thread, and of threads that it starts from now on, follow the settings: `fetch`, what uses Node's
 * own agents, and `newAgent`. Only a program has a proxy of its own: `variablesForProxy` is for it.
 */
export function useNetwork(network: NetworkSettings): void {
  setEnvironmentData(KEY, { ...network });
  useNetworkOfProcess();
}

/** In a worker thread: Node keeps agents and authorities for each thread. */
export function useNetworkOfProcess(): void {
  const { proxies, direct, authorities } = settings();
  if (authorities.length > 0)
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...authorities]);
  if (Object.keys(proxies).length > 0)
    http.setGlobalProxyFromEnv({
      http_proxy: proxies['http:'],
      https_proxy: proxies['https:'],
      // Of `host`, Node's agents take only the host itself for meant, and `fetch` all below it too. Only `fetch` has brackets.
      no_proxy: direct.flatMap((host) => [host, `.${host}`, `[${host}]`]).join(','),
    });
}

/** The proxy for an address; `undefined`: it is reached without one. */
export function proxyFor(
  { protocol, hostname, port }: URL,
  { proxies, direct }: NetworkSettings = settings(),
): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const own = port === '' ? { 'http:': '80', 'https:': '443' }[protocol] : port;
  const isDirect = direct.some((entry) =>
    [host, `${host}:${own}`].some((name) => name === entry || name.endsWith(`.${entry}`)),
  );
  return isDirect ? undefined : proxies[protocol === 'http:' ? 'http:' : 'https:'];
}

/** An agent of its own for requests to an address. */
export function newAgent(url: URL, options: http.AgentOptions = {}): http.Agent {
  const proxy = proxyFor(url);
  const given = { ...options, proxyEnv: { http_proxy: proxy, https_proxy: proxy } };
  return url.protocol === 'http:' ? new http.Agent(given) : new https.Agent(given);
}

/** For a program that makes requests to an address and knows no other variables. */
export function variablesForProxy(url: URL): Readonly<Record<string, string>> {
  const proxy = proxyFor(url);
  return proxy === undefined ? {} : { http_proxy: proxy, https_proxy: proxy };
}
