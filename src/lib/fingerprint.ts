// Whether something fails as it did before, although times, numbers and temporary names differ.
import { createHash } from 'node:crypto';

interface Failure {
  readonly name: string;
  /** Counts if nothing else says what is wrong. */
  readonly summary: string;
  readonly annotations: readonly { readonly path: string; readonly message: string }[];
  readonly log: string;
}

const MOST_LINES = 20;
/** Lines that say what is wrong. */
const FAULT = /error|fail|not ok|assert|expected|exception|panic|cannot|✕|✗|×/i;

export const faultyLines = (log: string): readonly string[] =>
  log.split('\n').filter((line) => FAULT.test(line));

/** Equal for the same name with the same failing lines. */
export function fingerprintOf({ name, summary, annotations, log }: Failure): string {
  const said = annotations.map(({ path, message }) => `${path} ${message}`);
  const words = [...said, ...faultyLines(log).slice(-MOST_LINES)].map(normal);
  const all = words.length === 0 ? [normal(summary)] : words;
  return createHash('sha256')
    .update([name, ...all].join('\n'))
    .digest('hex')
    .slice(0, 16);
}

const normal = (line: string): string =>
  line
    .toLowerCase()
    .replaceAll(/\b[0-9a-f]{7,64}\b/g, '#')
    .replaceAll(/\d+(?:[.,:]\d+)*/g, '#')
    .replaceAll(/\/tmp\/\S+/g, '/tmp/#')
    .replaceAll(/\s+/g, ' ')
    .trim();
