import type { Usage } from '../../contracts/model.ts';

/** A number of tokens that a server reported; 0 if it is not a valid count. */
export const tokenCount = (reported: unknown): number =>
  typeof reported === 'number' && Number.isSafeInteger(reported) && reported > 0 ? reported : 0;

/** Usage in which no part exceeds its whole, whatever the server reported. */
export function coherent({ input, cached, written, output, reasoning }: Usage): Usage {
  return {
    input,
    cached: Math.min(cached, input),
    written: Math.min(written, Math.max(0, input - cached)),
    output,
    reasoning: Math.min(reasoning, output),
  };
}

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of anything that a server sent; none if it is no object. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
