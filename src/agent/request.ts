import type { Reply } from '../contracts/entries.ts';
import { faulty } from './protocols/telling.ts';
import type { Run } from './run.ts';

/** Its words are the filter's, and no answer: they end no work. */
const REFUSED = 'the safety filter of the provider stopped it';

/** Asks the model for its next reply, and reads it as the protocol says. */
export async function request(run: Run): Promise<Reply> {
  const { protocol, instructions } = run.history.prompt;
  const before = performance.now();
  const { text, reasoning, calls, stop, native, usage, cost } = await run.model.reply({
    system: instructions,
    messages: run.history.messages,
    tools: protocol.specs(run.tools.list),
    maxOutputTokens: run.limits.outputTokens,
    cacheKey: run.cacheKey,
    signal: run.signal,
  });
  const reading =
    stop === 'refused' ? faulty(REFUSED) : protocol.read({ text, reasoning, calls, stop });
  const concluding = protocol.name !== 'none' && reading.answer !== null;
  return {
    type: 'reply',
    protocol: protocol.name,
    text,
    ...reading,
    calls: concluding ? [run.conclude(reading.answer)] : reading.calls,
    stop,
    native,
    usage,
    cost,
    took: Math.round(performance.now() - before),
  };
}
