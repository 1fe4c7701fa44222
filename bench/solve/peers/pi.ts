import { z } from 'zod';
import { unlessItFails } from '../../../src/lib/errors.ts';
import type { Peer, Watch } from './peer.ts';

const Event = z.object({
  type: z.enum(['tool_execution_start', 'tool_execution_end']),
  toolCallId: z.string(),
  toolName: z.string(),
  isError: z.boolean().optional(),
  result: z.unknown(),
});

/** What its bash says of a command that ran. */
const RAN = /Command (?:exited with code|timed out)/;

class PiWatch implements Watch {
  failedCalls = 0;
  commandMs = 0;
  readonly #started = new Map<string, number>();

  hear(line: string): void {
    const { data } = Event.safeParse(unlessItFails((): unknown => JSON.parse(line)));
    if (data === undefined) return;
    const { type, toolCallId, toolName, isError, result } = data;
    if (type === 'tool_execution_start') this.#started.set(toolCallId, performance.now());
    else {
      const began = this.#started.get(toolCallId) ?? performance.now();
      if (toolName === 'bash') this.commandMs += performance.now() - began;
      const isRun = toolName === 'bash' && RAN.test(JSON.stringify(result));
      if (isError === true && !isRun) this.failedCalls += 1;
    }
  }
}

export const pi: Peer = {
  name: 'pi',
  package: '@mariozechner/pi-coding-agent',
  binary: 'pi',
  files: (url) => ({
    '.pi/agent/models.json': JSON.stringify({
      providers: {
        hand: {
          baseUrl: `${url}/v1`,
          api: 'openai-completions',
          apiKey: 'none',
          models: [{ id: 'hand', contextWindow: 200_000, maxTokens: 32_000 }],
        },
      },
    }),
  }),
  variables: () => ({ PI_OFFLINE: '1', PI_TELEMETRY: '0' }),
  words: (prompt) =>
    '--provider hand --model hand --mode json --no-session --print'.split(' ').concat(prompt),
  watch: () => new PiWatch(),
};
