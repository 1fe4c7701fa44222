import type { Usage } from '../../contracts/model.ts';
import { coherent, tokenCount } from '../wire/token-count.ts';
import { type Fields, fieldsOf } from '../wire/fields.ts';

/** The usage that a chunk reports, wherever it stands; `undefined` if it reports none. Chunks in between may have zeros. */
export function usageIn(chunk: object): Fields | undefined {
  const { usage, choices, x_groq: groq } = fieldsOf(chunk);
  const choice = fieldsOf(Array.isArray(choices) ? choices[0] : undefined);
  const places = [
    usage,
    choice['usage'], // Moonshot
    fieldsOf(choice['delta'])['usage'],
    fieldsOf(groq)['usage'],
  ];
  return places
    .map(fieldsOf)
    .find((fields) => chatUsage(fields).input + chatUsage(fields).output > 0);
}

/**
 * OpenAI includes cached tokens in the input and reasoning in the output. Gemini and xAI count reasoning
 * only in the total.
 */
export function chatUsage(usage: Fields): Usage {
  const ofInput = fieldsOf(usage['prompt_tokens_details']);
  const ofOutput = fieldsOf(usage['completion_tokens_details']);
  // Some proxies use Anthropic's names.
  const input = tokenCount(usage['prompt_tokens'] ?? usage['input_tokens']);
  return coherent({
    input,
    // DeepSeek and Moonshot use other names.
    cached: tokenCount(
      ofInput['cached_tokens'] ?? usage['prompt_cache_hit_tokens'] ?? usage['cached_tokens'],
    ),
    written: tokenCount(ofInput['cache_write_tokens']),
    output: Math.max(
      tokenCount(usage['completion_tokens'] ?? usage['output_tokens']),
      tokenCount(usage['total_tokens']) - input,
    ),
    reasoning: tokenCount(ofOutput['reasoning_tokens']),
  });
}
