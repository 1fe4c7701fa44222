import { expect, it } from '@jest/globals';
import { protocolNamed } from '../../../src/agent/protocols/index.ts';

it.each(['native', 'json', 'react', 'none'] as const)('%s is the name of a protocol', (name) => {
  expect(protocolNamed(name).name).toBe(name);
});
