import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { prepare } from '../../src/agent/dispatch.ts';
import type { Call } from '../../src/contracts/model.ts';
import { testToolbox } from './support.ts';
import { zodArguments } from '../../src/tools/define-tool.ts';

const TOOLS = testToolbox([
  {
    name: 'sum',
    aliases: ['add'],
    description: 'Adds numbers.',
    arguments: zodArguments(z.object({ numbers: z.array(z.number()) })),
    argumentAliases: { items: 'numbers' },
    safety: 'safe',
    rendering: { arguments: {}, output: 'plain' },
    title: () => 'Add',
    run: () => Promise.resolve({ output: 'added' }),
  },
]);

/** What the model is told about a call; empty if it can be run. */
function faultOf(call: Call): string {
  const prepared = prepare(TOOLS, call);
  return 'fault' in prepared ? prepared.fault : '';
}

describe('the message about a call that cannot be run', () => {
  it('is cut if the arguments are wrong in a hundred thousand places', () => {
    const numbers = Array.from({ length: 100_000 }, () => 'one');
    const fault = faultOf({ tool: 'sum', arguments: { numbers } });
    expect(fault.length).toBeLessThan(2_100);
    expect(fault).toMatch(/^the arguments of sum are invalid: .*expected number.*numbers\[0\]/s);
    expect(fault).toMatch(/cut here/);
  });

  it('is complete if it is short', () => {
    const fault = faultOf({ tool: 'sum', arguments: { numbers: [1, 'two'] } });
    expect(fault).toMatch(/numbers\[1\]$/);
  });

  it.each([
    ['missing', {}],
    ['no object', 'numbers'],
    ['a list', [[1]]],
    ['null', null],
  ])('names the tool if its arguments are %s', (_what, args) => {
    expect(faultOf({ tool: 'sum', arguments: args })).toMatch(/^the arguments of sum are invalid/);
  });

  it.each([
    ['more', { numbers: [1], more: 2 }],
    ['__proto__', JSON.parse('{"numbers": [1], "__proto__": {"numbers": "x"}}') as unknown],
    ['toString', { numbers: [1], toString: 1 }],
  ])('says which argument is unknown, and which there are: %s', (name, args) => {
    const words = `sum has no argument "${name}". Its arguments are: numbers`;
    expect(faultOf({ tool: 'sum', arguments: args })).toBe(words);
  });

  it('repeats no endless name of a tool, and lists those that there are', () => {
    const fault = faultOf({ tool: 'x'.repeat(100_000), arguments: {} });
    expect(fault).toMatch(/^there is no tool "x{80}"\. The tools are: sum$/);
  });

  it.each(['__proto__', 'constructor', 'toString', ''])(
    'says that there is no tool “%s”',
    (tool) => {
      expect(faultOf({ tool, arguments: {} })).toMatch(/^there is no tool/);
    },
  );

  it('is what the adapter could not read', () => {
    const call = { tool: 'sum', arguments: {}, fault: 'the JSON ends in the middle' };
    expect(faultOf(call)).toBe('the JSON ends in the middle');
  });
});

describe('a call that can be run', () => {
  it.each([
    ['sum', { numbers: [1] }],
    ['add', { items: [1] }],
  ])('is found under each name of its tool and its arguments (%s, %j)', (tool, args) => {
    expect(faultOf({ tool, arguments: args })).toBe('');
  });
});
