// The log of the service: JSON lines for programs, or text for people. Every line passes the redactor.
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { pino, type Logger } from 'pino';
import { unlessItFails } from '../lib/errors.ts';
import type { Config } from '../config.ts';
import { escapeUnseen } from '../lib/text/invisible.ts';
import { dollars as asDollars } from '../session/texts/format.ts';
import type { Redactor } from '../lib/text/redact.ts';
import { cutCharacters } from '../lib/text/text.ts';

type Settings = Pick<Config, 'logLevel' | 'logFormat'>;
type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'hasColors'>;

/** Whether people read the output as it is written. */
export const isReadByPeople = (
  { logFormat }: Settings,
  { isTTY }: Output = process.stdout,
): boolean => logFormat === 'pretty' || (logFormat === 'auto' && isTTY);

/**
 * The log never ends the service: lines are lost while the disk is full, or once nobody reads them any more. A stream of
 * Node stays closed after such an error, so a file is written to without one.
 */
function standardOutput(): Output {
  const { stdout } = process;
  stdout.on('error', () => {});
  const isFile: boolean = !(stdout instanceof Socket);
  if (!isFile) return stdout;
  const write = (line: string): boolean =>
    unlessItFails(() => writeSync(stdout.fd, line)) !== undefined;
  return { isTTY: stdout.isTTY, hasColors: () => false, write };
}

export async function openLog(
  settings: Settings,
  redactor: Redactor,
  output: Output = standardOutput(),
): Promise<Logger> {
  const { logLevel: level } = settings;
  const format = isReadByPeople(settings, output) ? await prettyFormat(level, output) : jsonFormat;
  // Redacted first: a secret that is cut, indented or escaped is no longer recognised.
  return pino({ level }, { write: (line) => output.write(format(bounded(redactor.redact(line)))) });
}

const LONGEST_LINE = 32_000;
const LONGEST_TEXT = 4_000;

/** With shorter texts; or, if there are too many, only what happened and when. Servers write some of them. */
function bounded(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const cut = (value: unknown): unknown =>
    typeof value === 'string' ? cutCharacters(value, LONGEST_TEXT) : value;
  const entry = parsed(line, cut) ?? {};
  const short = JSON.stringify(entry);
  if (short.length <= LONGEST_LINE) return `${short}\n`;
  const { level, time, msg } = entry;
  return `${JSON.stringify({ level, time, msg, cut: 'the line was too long' })}\n`;
}

/** With the escapes of JSON: terminals show these lines too, and C1 controls and directions of text act on them. */
const jsonFormat = escapeUnseen;

/** Traces are for whoever asks for details; as JSON, they are in every line. */
const WITH_TRACES: ReadonlySet<string> = new Set(['debug', 'trace']);

async function prettyFormat(level: string, output: Output): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    colorize: output.isTTY && output.hasColors(),
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
    hideObject: true,
    messageFormat: (entry, _key, _level, { colors }) =>
      logWords(entry, colors.gray) +
      (WITH_TRACES.has(level) ? colors.gray(traceOf(entry['err'])) : ''),
  });
  return (line) => {
    // Control characters would act on the terminal, and what other people wrote may hold some.
    const entry = parsed(line, (value) =>
      typeof value === 'string' ? escapeUnseen(value) : value,
    );
    return entry === undefined ? line : (pretty(entry) ?? line);
  };
}

function parsed(
  line: string,
  change: (value: unknown) => unknown,
): Readonly<Record<string, unknown>> | undefined {
  const entry = unlessItFails((): unknown =>
    JSON.parse(line, (_name, value: unknown) => change(value)),
  );
  return isRecord(entry) ? entry : undefined;
}

/** What a line is about comes first, then why, then the fields to search for. */
function logWords(
  entry: Readonly<Record<string, unknown>>,
  soft: (text: string) => string,
): string {
  const { msg, repository, issue, dollars, err, end, ...rest } = entry;
  const { reason = isRecord(err) ? err['message'] : undefined, ...others } = rest;
  const { kind, reason: why = reason } = isRecord(end) ? end : {};
  const place = [repository, issue]
    .flatMap((part) => part ?? [])
    .map(asWords)
    .join('#');
  const cost =
    typeof dollars === 'number' && dollars > 0
      ? [`cost=${asDollars(dollars).replace('less than ', '<')}`]
      : [];
  const fields = Object.entries(others)
    .filter(([name]) => !SHOWN_ELSEWHERE.has(name))
    .map(([name, value]) => `${name}=${asField(value)}`);
  const sentence = [msg, kind, why].filter((part) => part !== undefined).map(asWords);
  const about = [place, ...fields, ...cost].filter(Boolean).join(' ');
  return [sentence.join(': '), soft(about)].join('  ').trimEnd();
}

/** Indented, so that no line of it looks like one of the log. */
function traceOf(error: unknown): string {
  if (!isRecord(error)) return '';
  const lines = String(error['stack'] ?? error['message']).split('\n');
  return lines.map((line) => `\n    ${line}`).join('');
}

const SHOWN_ELSEWHERE = new Set(['level', 'time', 'pid', 'hostname']);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** On one line. */
const asWords = (value: unknown): string => String(value).replaceAll(/\s+/g, ' ').trim();

const asField = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
