import { expect, it } from '@jest/globals';
import { bodyWith } from '../../src/github/pull-requests.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import type { Body } from '../../src/session/texts/markdown.ts';
import { asGitHubShows, checkBy, links } from '../support/publishing.ts';

const CLEANER = { redactor: createRedactor(), links, check: checkBy(asGitHubShows) };
const bodyOf = (body: Body, current?: string): Promise<string> =>
  bodyWith({ session: '5', body }, CLEANER, current);

const BEGIN = '<!-- issuewright:5:pull-request:begin -->';
const END = '<!-- issuewright:5:pull-request -->';
const ours = (text: string): string => `${BEGIN}\n${text}\n\n${END}`;
const OWN = ours('Some');
const NEW = ours('More');

it('is our part alone at first', async () => {
  await expect(bodyOf(['Some'])).resolves.toBe(OWN);
});

it.each([
  ['above and below', `# Mine\r\n${OWN}\n\n- [ ] checked`, `# Mine\r\n${NEW}\n\n- [ ] checked`],
  ['in place of all', 'Only mine @stranger', `Only mine @stranger\n\n${NEW}`],
  ['without the first marker', `Some\n\n${END}`, `Some\n\n${END}\n\n${NEW}`],
  ['without the last marker', `${BEGIN}\nSome!`, `${BEGIN}\nSome!\n\n${NEW}`],
  ['with our part twice', `${OWN}\n${OWN}`, `${OWN}\n${NEW}`],
  ['with markers in the wrong order', `${END}\n${OWN}`, `${END}\n${NEW}`],
  [
    'with the markers of another session',
    OWN.replaceAll(':5:', ':6:'),
    `${OWN.replaceAll(':5:', ':6:')}\n\n${NEW}`,
  ],
  ['with no room left', 'x'.repeat(65_000), 'x'.repeat(65_000)],
])('keeps what people wrote %s', async (_where, written, kept) => {
  await expect(bodyOf(['More'], written)).resolves.toBe(kept);
  await expect(bodyOf(['More'], kept)).resolves.toBe(kept);
});

it.each([
  ['within our part', OWN.replace('Some', 'Some, @stranger')],
  ['and nothing else is left', ''],
])('is our part as it should be if people changed it %s', async (_where, written) => {
  await expect(bodyOf(['More'], written)).resolves.toBe(NEW);
});

it('stays within the limit of GitHub with what people wrote', async () => {
  const long = [{ text: 'word '.repeat(12_000), isQuoted: false }];
  const body = await bodyOf(long, `${'x'.repeat(30_000)}\n${OWN}`);
  expect(body.length).toBeLessThanOrEqual(65_536);
  expect(body).toMatch(/^x{30000}\n<!-- .*the rest was too long.*<!-- [^>]* -->$/s);
});
