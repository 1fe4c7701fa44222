import type { Message } from '../../contracts/model.ts';

/** A token is seldom less than so many characters of code. */
const CHARACTERS_PER_TOKEN = 3;

/** Tokens of a text, rather too many than too few. A real tokenizer may take minutes on hostile text. */
const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

export function weightOf(message: Message): number {
  switch (message.role) {
    case 'user':
      return tokensOf(message.text);
    case 'assistant':
      return tokensOf(message.text) + tokensOf(JSON.stringify(message.calls));
    case 'results':
      return message.results.reduce((sum, { output }) => sum + tokensOf(output), 0);
    default:
      return message satisfies never;
  }
}
