import { describe, expect, it } from '@jest/globals';
import { readSettings } from '../../src/session/settings/read.ts';

const typesIn = (text: string, owners?: string) => {
  const read = readSettings(text, { text: owners, repository: 'example/.github' });
  return 'settings' in read ? read.settings.on : read.fault;
};

describe('the setting `on`', () => {
  it.each([
    ['on: type:Bug', ['Bug']],
    ['on: [type:Bug, "type: User story"]', ['Bug', 'User story']],
    ['on: []', []],
    ['draft: false', []],
  ])('names issue types: %s', (text, types) => expect(typesIn(text)).toEqual(types));

  it.each(['on: Bug', 'on: label:x', 'on: "type:"', 'on: [7]', 'on: true', 'on: {type: Bug}'])(
    'starts no run if it is something else: %s',
    (text) => expect(typesIn(text)).toMatch(/`on(?:\[0\])?` must be `type:`/),
  );

  it("of the repository takes the place of its owner's", () => {
    expect(typesIn('draft: false', 'on: type:Bug')).toEqual(['Bug']);
    expect(typesIn('on: []', 'on: type:Bug')).toEqual([]);
  });
});
