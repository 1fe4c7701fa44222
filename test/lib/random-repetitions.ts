// A text from random parts that is repeated again and again, the same for the same seed: what slow expressions stumble over.
import { numbers } from './mixes.ts';
import { REPEATED } from './repeated-texts.ts';

const SIGNS =
  `. - .- _ * \` ~~~ [ ]( ! < --> " ' & @ @a #1 fix closes by: : $ | \\ / a é 0 skip ci sk- eyJ :// bearer`
    .split(' ')
    .concat(' ', '  ', '\t', '\n', '\n\n', '\r', '\u2028', '\u200d', '\u{1F3F4}');
const PARTS: readonly string[] = [...SIGNS, ...REPEATED.map(([, unit]) => unit)];
const MOST_PARTS = 4;

/** A function of the text's length, and the part as a person can repeat it. */
export function randomRepetition(seed: number): {
  readonly unit: string;
  readonly text: (size: number) => string;
} {
  const next = numbers(seed);
  const part = (): string => PARTS[Math.floor(next() * PARTS.length)] ?? '';
  const count = 1 + Math.floor(next() * MOST_PARTS);
  const unit = Array.from({ length: count }, part).join('') || '.';
  const [before, after] = next() < 0.3 ? [part(), part()] : ['', ''];
  return { unit, text: (size) => before + unit.repeat(Math.ceil(size / unit.length)) + after };
}
