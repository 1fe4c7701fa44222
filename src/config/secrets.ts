import type { Config, HandConfig } from '../config.ts';
import type { TokenConfig } from './by-token.ts';
import { secretsOfServers } from './mcp.ts';
import { unlessItFails } from '../lib/errors.ts';

/** What no text of a session by hand may show. */
export const secretsByHand = ({
  models,
  servers,
  openTelemetry,
  commandSecrets,
  network,
  github,
}: HandConfig & { readonly github?: TokenConfig }): string[] =>
  [
    github?.token,
    ...(openTelemetry?.secrets ?? []),
    ...models.secrets,
    ...secretsOfServers(servers),
    ...commandSecrets,
    ...network.secrets,
  ].filter((secret) => secret !== undefined);

/** What no text may show. */
export const secretsOf = ({
  github,
  signIn,
  openTelemetry,
  models,
  store,
  servers,
  commandSecrets,
  network,
  notifyUrl,
}: Config): string[] =>
  [
    github.privateKey,
    ...github.webhookSecrets,
    signIn?.clientSecret,
    notifyUrl,
    ...(openTelemetry?.secrets ?? []),
    store.databaseUrl,
    ...passwordsIn(store.databaseUrl),
    ...models.secrets,
    ...secretsOfServers(servers),
    ...commandSecrets,
    ...network.secrets,
  ].filter((secret) => secret !== undefined);

/** The password in an address, as it is written there and as the server knows it. */
export function passwordsIn(address: string | undefined): readonly string[] {
  const written = URL.parse(address ?? '')?.password ?? '';
  const known = unlessItFails(() => decodeURIComponent(written));
  return known === undefined ? [written] : [written, known];
}
