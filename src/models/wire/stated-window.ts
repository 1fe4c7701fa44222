// How many tokens a model can read, as servers state it: in a rejection, or where they can be asked.
import { z } from 'zod';
import { boundedResponse } from '../../lib/bounded-response.ts';
import { fieldsOf } from './fields.ts';

/** A number of tokens among words: no part of a name, a version or a date. */
const NUMBER = /(?<![\w.,-])\d{1,3}(?:,\d{3}){1,2}(?![\w,-])|(?<![\w.,-])\d{4,8}(?![\w-])/g;
/** Only the beginning counts: servers may quote the request after it. */
const READ_CHARACTERS = 2000;

/**
 * The window that a rejection names. Servers say how much was requested and how much is allowed, in any order and any words: the
 * largest number is what was requested, and two that add up to it are its parts. `undefined` if there is no number.
 */
export function windowInRejection(words: string): number | undefined {
  const found = words.slice(0, READ_CHARACTERS).match(NUMBER) ?? [];
  const numbers = [...new Set(found.map((one) => Number(one.replaceAll(',', ''))))];
  const [requested, ...others] = numbers.toSorted((one, other) => other - one);
  if (requested === undefined) return undefined;
  const isPart = (one: number): boolean =>
    others.some((other) => other !== one && one + other === requested);
  return others.find((one) => !isPart(one)) ?? requested;
}

const Tokens = z.number().int().min(1024).max(100_000_000).optional().catch(undefined);

const ListedModel = z.object({
  id: z.string(),
  /** vLLM, SGLang */
  max_model_len: Tokens,
  /** OpenRouter, Together */
  context_length: Tokens,
  /** Groq */
  context_window: Tokens,
  /** Mistral, LM Studio */
  max_context_length: Tokens,
});

const ModelList = z.object({ data: z.array(ListedModel.or(z.unknown())) });

/** The window of a model in the answer to `GET /models`; `undefined` if that does not say. */
export function windowInList(list: unknown, model: string): number | undefined {
  const read = ModelList.safeParse(list);
  const entries = read.data?.data.flatMap((entry) => ListedModel.safeParse(entry).data ?? []) ?? [];
  const entry = entries.find(({ id }) => id === model);
  return (
    entry?.max_model_len ??
    entry?.context_length ??
    entry?.context_window ??
    entry?.max_context_length
  );
}

const Properties = z.object({ default_generation_settings: z.object({ n_ctx: Tokens }) });

/** The window in the answer to llama.cpp's `GET /props`: that of one slot, as the server was started. */
export const windowInProperties = (properties: unknown): number | undefined =>
  Properties.safeParse(properties).data?.default_generation_settings.n_ctx;

/** The window in the answer to Ollama's `POST /api/show`: that of the model's architecture. */
export function windowInShow(shown: unknown): number | undefined {
  const information = fieldsOf(fieldsOf(shown)['model_info']);
  const name = `${String(information['general.architecture'])}.context_length`;
  return Tokens.parse(information[name]);
}

const LOOK_UP_MS = 2_000;
/** The longest lists have a few hundred models; Ollama's answer has the whole vocabulary of some. */
const MOST_MIB = 4;

/** Asks a server about its models. `undefined` if it does not answer in time, or not with JSON. */
export async function lookUp(url: string, init: RequestInit): Promise<unknown> {
  const signal = AbortSignal.timeout(LOOK_UP_MS);
  try {
    const answer = await fetch(url, { ...init, signal, redirect: 'error' });
    return answer.ok ? await boundedResponse(answer, MOST_MIB).json() : undefined;
  } catch {
    // Then the server says it when it rejects a request.
    return undefined;
  }
}
