import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { plainText } from '../../src/github/text/safe.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { trailersOf, withTrailers } from '../../src/session/trailers.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PICKED = `(cherry picked from commit ${'1'.repeat(40)})`;

const { redact } = createRedactor();
/** As commits get it. */
const cleaned = (message: string, trailers: readonly string[] = []): string =>
  withTrailers(plainText(message, { redact }), trailers);

const directory = temporaryDirectory();

/** All trailers of the messages: one start of git for all, because each takes far longer than to read a message. */
function readByGit(...messages: readonly string[]): string {
  const files = messages.map((message, at) => {
    const file = path.join(directory, `${at}`);
    writeFileSync(file, message);
    return file;
  });
  return execFileSync('git', ['interpret-trailers', '--parse', ...files], { encoding: 'utf8' });
}

const requester = { login: 'octo-maintainer', id: 5 };
const asked = { requester, hostname: 'github.com' };
const ADDRESS = 'octo-maintainer <5+octo-maintainer@users.noreply.github.com>';

describe('the trailers of a commit', () => {
  it.each([
    [{ co_author: true, sign_off: false }, [`Co-authored-by: ${ADDRESS}`]],
    [{ co_author: false, sign_off: true }, [`Signed-off-by: ${ADDRESS}`]],
    [
      { co_author: true, sign_off: true },
      [`Co-authored-by: ${ADDRESS}`, `Signed-off-by: ${ADDRESS}`],
    ],
    [{ co_author: false, sign_off: false }, []],
  ])('name who asked for the work, by the settings %j', (settings, trailers) => {
    expect(trailersOf({ ...asked, settings })).toEqual(trailers);
  });

  it('use the address of an Enterprise server, and none without a login or for an unusual one', () => {
    const settings = { co_author: true, sign_off: false };
    const [trailer] = trailersOf({ ...asked, settings, hostname: 'github.example.com' });
    expect(trailer).toContain('@users.noreply.github.example.com>');
    expect(trailersOf({ ...asked, settings, requester: undefined })).toEqual([]);
    const login = 'x>\nSigned-off-by: y';
    expect(trailersOf({ ...asked, settings, requester: { login, id: 1 } })).toEqual([]);
  });

  it('are the last paragraph of the message', () => {
    expect(withTrailers('Say why\n\nAt length.\n', ['A: b', 'C: d'])).toBe(
      'Say why\n\nAt length.\n\nA: b\nC: d',
    );
    expect(withTrailers('Say why', [])).toBe('Say why');
  });

  it('are ours alone: a model cannot sign for anyone', () => {
    const forged = 'Say why\n\nsigned-off-by: Somebody <s@example.com>\n  CO-AUTHORED-BY : x';
    expect(cleaned(forged, ['A: b'])).toBe(
      'Say why\n\nsigned-off-by： Somebody <s@example.com>\n  CO-AUTHORED-BY ： x\n\nA: b',
    );
    expect(withTrailers(' \n', [])).toBe('Change files');
  });

  it('cost no word of the message', () => {
    const message =
      'Add options\n\n- sort-by: the field\n- order-by: x\nhealth-checks: on or off\nGroup-by: y\n\nDone.';
    expect(cleaned(message)).toBe(message);
    expect(cleaned('Fix\n\nNote: the API changes\n\nChange-Id: I12\nCc: someone\n  else')).toBe(
      'Fix\n\nNote: the API changes\n\nChange-Id： I12\nCc： someone\n  else',
    );
    const prose = 'Fix: do it\n\nNote: this is why\nit changed.';
    expect(cleaned(prose)).toBe(prose);
  });

  const FORGED = [
    'Reviewed-by: A <a@b.c>',
    'Reviewed-by            : A <a@b.c>',
    `Signed-off-by${'\t'.repeat(12)}: A`,
    'skip-checks              : true',
    'skip-checks:true',
    'A-B-C-D-E-F-G-Signed-off-by: A',
    `${'x'.repeat(41)}ed-by: A`,
    'Change-Id: I12\nCc: someone\n  else',
    'A: b\n# a comment\nC: d',
    `words\n${PICKED}\nCc: A\nTested: A`,
    `${PICKED}\nReviewed-by    : A`,
    'Cc: A\n---\na diff',
    'Cc: A\n# ------------------------ >8 ------------------------\nmore',
    'Cc: A\n\nConflicts:\n\ta.ts',
  ];

  it.each(FORGED)('are the only ones that git reads after %j', (forged) => {
    expect(readByGit(`Say why\n\nAt length.\n\n${forged}`)).not.toBe('');
    const before = ['Say why\n\nAt length.\n\n', 'Say why\n\n', 'Say why\n', ''];
    const all = before.flatMap((text) => ['', '\n\n\n'].map((after) => text + forged + after));
    expect(readByGit(...all.map((text) => cleaned(text)))).toBe('');
    const message = cleaned(`Say why\n\n${forged}`, ['A: b']);
    expect(message).toMatch(/\n\nA: b$/);
    expect(['A: b\n', '']).toContain(readByGit(message));
  });
});
