// What the stories about tests of a merge share: a repository with a test, and a base branch that breaks it.
import { call, say } from '../turns.ts';

export const COMMANDS = { ALLOW_DANGEROUS_TOOLS: 'true', SANDBOX: 'unsafe' };

const sum = (name: string) =>
  `export const ${name} = (numbers) => numbers.reduce((a, b) => a + b, 0);\n`;

export const testOf = (name: string, numbers: string, result: number) =>
  `import test from 'node:test';
import assert from 'node:assert';
import { ${name} } from '../sum.js';

test('${numbers}', () => assert.equal(${name}([${numbers}]), ${result}));
`;

export const FILES = {
  'README.md': '# Sum\n',
  '.github/issuewright.yml': 'test: node --test\n',
  'package.json': '{"name": "sum", "type": "module"}\n',
  'sum.js': sum('sum'),
  'test/sum.test.js': testOf('sum', '1, 2', 3),
};

export const BEFORE = { 'sum.js': FILES['sum.js'], 'test/sum.test.js': FILES['test/sum.test.js'] };

/** What the base branch gets: git can merge it, and a test that still has the old name fails. */
export const RENAMED = { 'sum.js': sum('total'), 'test/sum.test.js': testOf('total', '1, 2', 3) };

export const writeTest = (content: string) =>
  say(call('write_file', { path: 'test/three.test.js', content }));
