import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { jsonFault } from '../../src/config/values/json-fault.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

it.each([
  ['{"a": "b\nc"}', 'line 1, column 7'],
  ['{"a": "\\x"}', 'line 1, column 7'],
  ['{\n  "a": 01}', 'line 2, column 9'],
  ['[1 2]', 'line 1, column 4'],
  ['/* a */ {}', 'line 1, column 1'],
  ['', 'line 1, column 1'],
  ['\u00A0{}', 'line 1, column 1'],
  ['[{"a": 1}, {"a": {}, "\\u0061": 2}]', 'line 1, column 22'],
])('%j is no JSON from the place where it begins to be wrong', (text, place) => {
  expect(jsonFault(text)).toBe(place);
});

it('finds a fault where JSON.parse does, and none in what JSON.stringify writes', () => {
  const piece = fc.constantFrom(
    ...Array.from('{}[],:"\\/ \n\t01-.eE+'),
    'true',
    'null',
    '"a"',
    '\u2028',
    'é',
  );
  const almost = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(almost, (text) => isJson(text) || jsonFault(text) !== undefined),
    { numRuns: 2_000 },
  );
  fc.assert(fc.property(fc.json(), (text) => jsonFault(text) === undefined));
});
