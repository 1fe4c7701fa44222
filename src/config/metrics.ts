import { z } from 'zod';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { listenHost, whole } from './values/fields.ts';

/** Where the operator's monitoring reads metrics. */
export interface MetricsConfig {
  readonly host: string;
  readonly port: number;
}

export const MetricsVariables = z.object({
  METRICS_PORT: whole(0, 65_535).optional().meta({
    unset: 'no metrics',
    description:
      'Port for [metrics](operations.md#metrics), `/healthz` and `/readyz`, in every process. Keep it from strangers',
  }),
  METRICS_HOST: listenHost.default('127.0.0.1').describe('Address to listen on for metrics'),
});

/** `false`: there are none. `undefined`: it has faults. */
export function readMetrics(
  variables: Variables,
  faults: ConfigFault[],
): MetricsConfig | false | undefined {
  const read = check(MetricsVariables, variables, faults);
  if (read === undefined) return undefined;
  const { METRICS_PORT: port, METRICS_HOST: host } = read;
  if (port === undefined) return false;
  const { PORT = '3000', PAGES_PORT = '3001' } = variables;
  if (port !== 0 && [PORT, PAGES_PORT].map(Number).includes(port))
    faults.push({ name: 'METRICS_PORT', fault: 'must be another port than PORT and PAGES_PORT' });
  return { host, port };
}
