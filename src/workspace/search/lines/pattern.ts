import { TellModel } from '../../../lib/errors.ts';

/** A regular expression for single lines. Plain data, as it crosses threads. */
export interface LinePattern {
  readonly source: string;
  readonly flags: string;
}

/**
 * @param source in JavaScript's syntax; may begin with inline flags such as `(?i)`
 * @throws {TellModel} if it is invalid, saying what is wrong and where
 */
export function readPattern(source: string, ignoreCase: boolean): LinePattern {
  // Inline flags as in other engines. Within one line, only `i` makes a difference.
  const [inline = '', letters = ''] = /^\(\?([ims]+)\)/.exec(source) ?? [];
  const body = source.slice(inline.length);
  const fault = findFault(body);
  if (fault !== undefined) throw new TellModel(describeFault(source, inline.length, fault));
  const flags = (ignoreCase || letters.includes('i') ? 'i' : '') + flagsFor(body);
  return { source: body, flags };
}

/** Sets `u` only for syntax that needs it: without it, unnecessary escapes are allowed. */
const flagsFor = (source: string): string => (/\\[pP]\{|\\u\{/.test(source) ? 'u' : '');

interface Fault {
  readonly why: string;
  /** The index of the character at fault. */
  readonly at: number;
}

function findFault(source: string): Fault | undefined {
  const fault = findImbalance(source);
  if (fault !== undefined) return fault;
  const why = reasonOf(source);
  return why === undefined ? undefined : { why, at: firstPrefixWith(source, why) - 1 };
}

/** Escapes of other engines, which JavaScript would read as plain letters. */
const FOREIGN_ESCAPE = /[AEGHKQRXZaehz]/;

/** Finds unbalanced brackets, and syntax that only other engines support. */
function findImbalance(source: string): Fault | undefined {
  const groups: number[] = [];
  let bracket: number | undefined;
  for (let at = 0; at < source.length; at += 1) {
    const sign = source[at] ?? '';
    if (sign === '\\') {
      at += 1;
      if (FOREIGN_ESCAPE.test(source[at] ?? ''))
        return { why: `\\${source[at]} is not supported`, at: at - 1 };
    } else if (bracket !== undefined) {
      if (source.startsWith('[:', at))
        return { why: 'there are no classes such as [:space:]; write \\s, \\w, \\d or a-z', at };
      if (sign === ']') bracket = undefined;
    } else if (sign === '[') bracket = at;
    else if (sign === '(') groups.push(at);
    else if (sign === ')' && groups.pop() === undefined)
      return { why: 'this ")" closes nothing', at };
  }
  if (bracket !== undefined) return { why: 'this "[" is never closed', at: bracket };
  const group = groups.at(-1);
  return group === undefined ? undefined : { why: 'this "(" is never closed', at: group };
}

/** The engine's message, such as "Nothing to repeat". */
function reasonOf(source: string): string | undefined {
  try {
    void new RegExp(source, flagsFor(source));
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    return message.slice(message.lastIndexOf(': ') + 2);
  }
}

function firstPrefixWith(source: string, reason: string): number {
  for (let length = 1; length < source.length; length += 1)
    if (reasonOf(source.slice(0, length)) === reason) return length;
  return source.length;
}

const SHOWN = 40;

function describeFault(source: string, offset: number, { why, at }: Fault): string {
  const place = at + offset;
  const shown = source.slice(place, place + SHOWN).toWellFormed();
  return (
    `Invalid JavaScript regular expression: ${why}, at character ${place + 1}: ` +
    `${JSON.stringify(shown)}. ` +
    'Put "\\" before literal special characters: \\( \\[ \\{ \\. \\*'
  );
}
