import type { Config, HandConfig } from '../config.ts';
import type { TokenConfig } from './by-token.ts';
import { secretsOfServers } from './mcp.ts';
import { passwordsIn } from './values/passwords-in.ts';

/** What no text of a session by hand may show. */
export const secretsByHand = ({
  models,
  servers,
  openTelemetry,
  commandSecrets,
  github,
}: HandConfig & { readonly github?: TokenConfig }): string[] => [
  ...(github === undefined ? [] : [github.token]),
  ...(openTelemetry?.secrets ?? []),
  ...models.secrets,
  ...secretsOfServers(servers),
  ...commandSecrets,
];

/** What no text may show. */
export const secretsOf = ({
  github,
  signIn,
  openTelemetry,
  models,
  store,
  servers,
  commandSecrets,
}: Config): string[] =>
  [
    github.privateKey,
    github.webhookSecret,
    signIn?.clientSecret,
    ...(openTelemetry?.secrets ?? []),
    store.databaseUrl,
    ...passwordsIn(store.databaseUrl),
    ...models.secrets,
    ...secretsOfServers(servers),
    ...commandSecrets,
  ].filter((secret) => secret !== undefined);
