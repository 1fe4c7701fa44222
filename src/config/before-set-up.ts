import { trimEnd } from '../lib/text/text.ts';
import { check, ConfigError, firstOfEach, type ConfigFault, type Variables } from './faults.ts';
import { ServiceVariables, type ServiceConfig } from './service.ts';

/** What can be known before there is an App. */
export interface BeforeSetUp {
  readonly enterprise: ServiceConfig['github']['enterprise'];
  readonly http: ServiceConfig['http'];
  /** Where people will reach the session pages. */
  readonly pagesUrl: string;
}

const NAMES = {
  GHE_HOST: true,
  GHE_PROTOCOL: true,
  HOST: true,
  PORT: true,
  PAGES_PORT: true,
  PUBLIC_URL: true,
} as const;

/** @throws {ConfigError} */
export function readBeforeSetUp(variables: Variables): BeforeSetUp {
  const faults: ConfigFault[] = [];
  const read = check(ServiceVariables.pick(NAMES), variables, faults);
  if (read === undefined) throw new ConfigError(firstOfEach(faults));
  const { GHE_HOST: host, GHE_PROTOCOL: protocol, HOST, PORT } = read;
  const pagesUrl = read.PUBLIC_URL ?? `http://127.0.0.1:${read.PAGES_PORT}`;
  const enterprise = host === undefined ? undefined : { host, protocol };
  return { enterprise, http: { host: HOST, port: PORT }, pagesUrl: trimEnd(pagesUrl, '/') };
}
