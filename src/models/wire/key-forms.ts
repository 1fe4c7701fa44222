// How providers begin their keys. The most specific form comes first.
import { hasCredential } from '../../lib/text/redact-patterns.ts';

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
