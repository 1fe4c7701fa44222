import type { Logger } from 'pino';
import type { ServerSettings } from '../../mcp/settings.ts';
import type { Shells } from './shells.ts';

/** Says early which servers no run will have. */
export function warnOfServers(
  servers: readonly ServerSettings[],
  { shells, log }: { readonly shells: Shells | undefined; readonly log: Logger },
): void {
  const local = servers.filter(({ kind }) => kind === 'local').map(({ name }) => name);
  if (local.length === 0 || shells !== undefined) return;
  log.warn(
    { servers: local },
    'local MCP servers are not available: they need commands (ALLOW_DANGEROUS_TOOLS) and the sandbox',
  );
}
