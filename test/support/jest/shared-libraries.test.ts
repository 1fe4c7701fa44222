import { expect, it, jest } from '@jest/globals';

it.each(['zod', 'pg'])(
  'test files share the library %s, which Jest then loads once',
  async (name) => {
    const first: unknown = await import(name);
    jest.resetModules();
    expect(await import(name)).toBe(first);
  },
);

it('each test file has the code of this repository for itself', async () => {
  const first = await import('../../../src/lib/text/text.ts');
  jest.resetModules();
  expect(await import('../../../src/lib/text/text.ts')).not.toBe(first);
});
