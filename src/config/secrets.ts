import type { Config } from '../config.ts';
import { secretsOfServers } from './mcp.ts';
import { passwordsIn } from './passwords-in.ts';

/** What no text may show. */
export const secretsOf = ({ github, models, store, servers, commandSecrets }: Config): string[] =>
  [
    github.privateKey,
    github.webhookSecret,
    store.databaseUrl,
    ...passwordsIn(store.databaseUrl),
    ...models.secrets,
    ...secretsOfServers(servers),
    ...commandSecrets,
  ].filter((secret) => secret !== undefined);
