import { jsonrepair } from 'jsonrepair';
import { inTime } from '../lib/time-limit.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const CONTRACT_KEYS = ['plan', 'thoughts', 'tool_calls'] as const;
/** Where in the text an object may begin before we stop trying. */
const MAX_STARTS = 32;

/** The repair takes cubic time on some texts: 16 KB kept it busy for 12 s. */
const MAX_REPAIR_MS = 500;

export type ReadObject = { readonly object: JsonObject } | { readonly fault: string };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isContract = (value: unknown): value is JsonObject =>
  isObject(value) && CONTRACT_KEYS.some((key) => Object.hasOwn(value, key));

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Strict JSON, also when encoded twice or wrapped into an array of one. */
function strict(text: string): JsonObject | undefined {
  let value = parse(text);
  if (typeof value === 'string') value = parse(value);
  if (Array.isArray(value) && value.length === 1) value = value[0];
  return isContract(value) ? value : undefined;
}

/** What stands between the first code fence and the last. */
function fenced(text: string): string | undefined {
  const open = text.indexOf('```');
  const close = text.lastIndexOf('```');
  if (open < 0 || close <= open) return undefined;
  const inside = text.slice(open + 3, close);
  const firstLine = inside.indexOf('\n');
  return firstLine < 0 ? undefined : inside.slice(firstLine + 1).trim();
}

/** The end of the balanced object that begins at `start`, reading strings as JSON does; -1: none. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{') depth++;
    else if (char === '}' && --depth === 0) return at + 1;
  }
  return -1;
}

/** The first balanced object in a text that keeps the contract, whatever stands around it. */
function scanned(text: string): JsonObject | undefined {
  let start = text.indexOf('{');
  for (let tries = 0; start >= 0 && tries < MAX_STARTS; tries++) {
    const end = endOfObject(text, start);
    const found = end < 0 ? undefined : strict(text.slice(start, end));
    if (found !== undefined) return found;
    start = text.indexOf('{', start + 1);
  }
  return undefined;
}

/** `C:\Users` is no JSON escape: doubled, it survives the repair instead of losing its backslash. */
const keepBackslashes = (text: string): string =>
  text.replaceAll(
    /(\\\\)|\\(?!["'\\/bfnrtu])/g,
    (_all, pair: string | undefined) => pair ?? '\\\\',
  );

/** Unescaped newlines, single quotes, trailing commas and the like; the last resort. */
function repaired(text: string): JsonObject | undefined {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  if (start < 0 || end < start) return undefined;
  try {
    const broken = keepBackslashes(text.slice(start, end + 1));
    return strict(inTime(MAX_REPAIR_MS, () => jsonrepair(broken)));
  } catch {
    return undefined;
  }
}

/**
 * Finds the one JSON object of a reply, the likeliest reading first. Never throws and never repairs
 * a reply that was cut short: half a file must not be written.
 */
export function readJsonObject(reply: string, cut: boolean): ReadObject {
  const text = reply.replace(/^\s*<think>[\s\S]*?<\/think>/, '').trim();
  const inFence = fenced(text);
  const sure = strict(text) ?? (inFence === undefined ? undefined : strict(inFence));
  const found = sure ?? scanned(text);
  if (found !== undefined) return { object: found };
  if (cut) {
    return {
      fault:
        'the reply reached the output limit and was cut off, so nothing of it was run. Work in smaller parts: fewer calls in one reply, and long files in several edits',
    };
  }
  const mended = repaired(inFence ?? text);
  if (mended !== undefined) return { object: mended };
  return { fault: 'no JSON object with "plan" and "tool_calls" was found in the reply' };
}
