import type { Usage } from '../../contracts/model.ts';

/** A number of tokens as a server reports it, which may be anything. */
export const tokenCount = (reported: unknown): number =>
  typeof reported === 'number' && Number.isSafeInteger(reported) && reported > 0 ? reported : 0;

/** Usage whose parts are within their wholes, whatever the server says. */
export function coherent({ input, cached, written, output, reasoning }: Usage): Usage {
  return {
    input,
    cached: Math.min(cached, input),
    written: Math.min(written, Math.max(0, input - cached)),
    output,
    reasoning: Math.min(reasoning, output),
  };
}
