import { expect } from '@jest/globals';
import { visible } from '../../src/lib/visible.ts';
import { MARKER } from './mixes.ts';

/** Of a text that begins with a word for people and has a marker that is not: the text stands in the failure. */
export function expectHidden(text: string): void {
  const once = visible(text);
  if (once.includes(MARKER) || !once.includes('Kingfisher'))
    expect({ text, shown: once }).toBe('without the marker, with the word');
  if (visible(once) !== once) expect({ text, again: visible(once) }).toBe(once);
}
