import { cutMiddle } from '../../lib/text.ts';
import type { Message } from '../../contracts/model.ts';

const MAX_RESULT = 3_000;
const MAX_TEXT = 12_000;

/** The messages that leave, as text, at most `maxCharacters` long. */
export function transcript(messages: readonly Message[], maxCharacters: number): string {
  return cutMiddle(messages.map(told).join('\n\n'), maxCharacters);
}

function told(message: Message): string {
  switch (message.role) {
    case 'user':
      return `# Message\n${cutMiddle(message.text, MAX_TEXT)}`;
    case 'assistant': {
      const calls = message.calls.map(
        ({ tool, arguments: args }) =>
          `call ${tool} ${cutMiddle(JSON.stringify(args), MAX_RESULT)}`,
      );
      return ['# Engineer', cutMiddle(message.text, MAX_TEXT), ...calls].join('\n');
    }
    case 'results':
      return [
        '# Results',
        ...message.results.map(
          ({ tool, ok, output }) =>
            `${tool}${ok ? '' : ' failed'}: ${cutMiddle(output, MAX_RESULT)}`,
        ),
      ].join('\n');
    default:
      return message satisfies never;
  }
}
