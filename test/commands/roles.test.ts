import { expect, it } from '@jest/globals';
import { NO_TERMINAL } from '../support/no-terminal.ts';
import { serve, startCommand, work } from '../../src/commands/start.ts';
import { GOOD } from '../config/good.ts';

it.each([serve, work])(
  '$name is rejected without a database that processes share',
  async (role) => {
    const printed: string[] = [];
    const code = await role.run({
      arguments: [],
      options: {},
      environment: GOOD,
      startService: () => Promise.reject(new Error('it starts nothing')),
      print: (text) => void printed.push(text),
      terminal: NO_TERMINAL,
    });
    expect(code).toBe(1);
    expect(printed.join()).toMatch(
      new RegExp(
        `^Issuewright cannot start: .issuewright ${role.name}. needs DATABASE_URL, a PostgreSQL`,
      ),
    );
  },
);

it('--allow-dangerous-tools is for the operator to say', async () => {
  const isAllowed: boolean[] = [];
  const given = [{}, { allowDangerousTools: true }];
  for (const options of given)
    await startCommand
      .run({
        arguments: [],
        options,
        environment: { ...GOOD, ALLOW_DANGEROUS_TOOLS: 'false' },
        startService: ({ shell }) => {
          isAllowed.push(shell.isAllowed);
          return Promise.reject(new Error('it starts nothing'));
        },
        print: () => {},
        terminal: NO_TERMINAL,
      })
      .catch(() => {});
  expect(isAllowed).toEqual([false, true]);
});
