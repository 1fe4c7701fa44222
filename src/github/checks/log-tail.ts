// The end of the step that failed, out of the log of a whole job.
import { stripVTControlCharacters } from 'node:util';
import { withoutInvisible } from '../../lib/text/invisible.ts';

/** GitHub writes a time before every line. */
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]{8,20}Z ?/;
const LINES_BEFORE = 60;
const LINES_AFTER = 3;
const LONGEST_LINE = 400;

/** A step ends with its error; steps that clean up come after it. */
export function logTail(log: string): string {
  const lines = log.split(/\r?\n/).map((line) => shown(line.replace(TIME, '')));
  const error = lines.findLastIndex((line) => line.startsWith('##[error]'));
  const end = error === -1 ? lines.length : error + 1 + LINES_AFTER;
  return lines
    .slice(Math.max(0, end - LINES_AFTER - LINES_BEFORE), end)
    .filter((line) => !line.startsWith('##[endgroup]'))
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line))
    .join('\n')
    .trim();
}

const shown = (line: string): string =>
  withoutInvisible(stripVTControlCharacters(line.slice(line.lastIndexOf('\r') + 1)));
