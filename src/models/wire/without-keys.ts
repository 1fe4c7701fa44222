import { codeOf } from '../../lib/errors.ts';
import { hasCredential, REDACTED } from '../../lib/text/redact.ts';
import { cutCharacters } from '../../lib/text/text.ts';

/** Shorter parts of a key are in every key of a provider, or in a key that it masked. */
const PART = 8;
/** Characters of a message, and of a stack. */
const LONGEST = 4_000;
const CAUSES = 5;

/**
 * The error of a request, with no part of the keys that the request was made with: servers repeat them, whole,
 * cut, or in other letters. Its texts are bounded, and its causes keep nothing but texts and codes.
 */
export function withoutKeys(error: unknown, keys: readonly string[]): unknown {
  if (!(error instanceof Error)) return error;
  const clean = cleaner(keys);
  const { message, stack = message } = error;
  error.message = clean(message);
  error.stack = clean(stack);
  if (error.cause !== undefined) error.cause = causeOf(error.cause, clean);
  return error;
}

function causeOf(cause: unknown, clean: (text: string) => string, depth = 1): Error | undefined {
  if (!(cause instanceof Error) || depth > CAUSES) return undefined;
  const code = codeOf(cause);
  const copy = new Error(clean(cause.message), {
    cause: causeOf(cause.cause, clean, depth + 1),
  });
  copy.name = cause.name;
  copy.stack = clean(cause.stack ?? cause.message);
  return code === undefined ? copy : Object.assign(copy, { code: clean(code) });
}

function cleaner(keys: readonly string[]): (text: string) => string {
  const parts = new Set(keys.flatMap((key) => partsOf(lowered(key))));
  return (text) => withoutParts(cutCharacters(text, LONGEST, ' …'), parts);
}

/** Of the same length, as keys and places in a text need it. */
const lowered = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

const partsOf = (key: string): string[] =>
  Array.from({ length: Math.max(0, key.length - PART + 1) }, (_none, at) =>
    key.slice(at, at + PART),
  );

function withoutParts(text: string, parts: ReadonlySet<string>): string {
  const lower = lowered(text);
  let kept = '';
  let from = 0;
  for (let at = 0; at + PART <= text.length; at++) {
    if (!parts.has(lower.slice(at, at + PART))) continue;
    if (at >= from) kept += text.slice(from, at) + REDACTED;
    from = at + PART;
  }
  return kept + text.slice(from);
}

interface KeyForm {
  readonly provider: string;
  readonly begins: RegExp;
  /** Where such a key belongs. */
  readonly belongs: string;
}

const COMPATIBLE = 'OPENAI_API_KEY, with the address of that server in OPENAI_BASE_URL';

const FORMS: readonly KeyForm[] = [
  { provider: 'Anthropic', begins: /^sk-ant-/, belongs: 'ANTHROPIC_API_KEY' },
  { provider: 'OpenRouter', begins: /^sk-or-/, belongs: COMPATIBLE },
  { provider: 'OpenAI', begins: /^sk-(?:proj|svcacct|admin)-/, belongs: 'OPENAI_API_KEY' },
  { provider: 'Google', begins: /^AIza/, belongs: 'GEMINI_API_KEY' },
  { provider: 'GitHub', begins: /^(?:gh[pousr]_|github_pat_)/, belongs: 'GITHUB_MODELS_TOKEN' },
  { provider: 'Groq', begins: /^gsk_/, belongs: COMPATIBLE },
  { provider: 'xAI', begins: /^xai-/, belongs: COMPATIBLE },
  { provider: 'Hugging Face', begins: /^hf_/, belongs: COMPATIBLE },
  { provider: 'NVIDIA', begins: /^nvapi-/, belongs: COMPATIBLE },
  { provider: 'Perplexity', begins: /^pplx-/, belongs: COMPATIBLE },
  { provider: 'Cerebras', begins: /^csk-/, belongs: COMPATIBLE },
];

/** What is wrong with a key that is sent to `provider`, if its form belongs to another one. */
export function foreignKey(key: string, provider: string): string | undefined {
  const form = FORMS.find(({ begins }) => begins.test(key));
  if (form === undefined && hasCredential(key) && !/^(?:sk-|eyJ)/.test(key))
    return `is a credential for something other than ${provider}. Create a key there`;
  if (form === undefined || form.provider === provider) return undefined;
  return `is a key of ${form.provider}, and is sent to ${provider}. Create a key there, or set this one as ${form.belongs}, and name a model of ${form.provider} in MODEL`;
}

const BEGINNINGS = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:sk-|${FORMS.map(({ begins }) => begins.source.slice(1)).join('|')})[^\s"'\x60]*`,
  'gu',
);

/** A text without anything that begins like a key, whole or in part. */
export const withoutKeyForms = (text: string): string => text.replaceAll(BEGINNINGS, '[key]');
