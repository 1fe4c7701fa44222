// The part of docs/operations.md that is made from the code: the metrics.
import { METRIC_PREFIX, METRICS } from '../../../src/telemetry/instruments.ts';
import { codes, table } from './markdown-table.ts';

export const OPERATIONS_DOCUMENT = 'docs/operations.md';

const BLOCK = /(<!-- made by npm run docs: metrics -->\n\n)[^]*?(\n\n<!-- end -->)/;

/** @throws {Error} if the document has no block for the metrics */
export function operationsDocument(current: string): string {
  if (!BLOCK.test(current)) throw new Error('the document lacks the block metrics');
  return current.replace(BLOCK, (_all, begin: string, end: string) => `${begin}${metrics()}${end}`);
}

const metrics = (): string =>
  table(
    ['metric', 'type', 'labels', 'what it says'],
    Object.entries(METRICS).map(([name, definition]) => {
      const labels = 'labels' in definition ? Object.entries(definition.labels) : [];
      const said = labels.map(([label, values]) => `\`${label}\`: ${values}`);
      return [codes([METRIC_PREFIX + name]), definition.type, said.join('; '), definition.help];
    }),
  );
