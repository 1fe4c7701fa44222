import { describe, expect, it } from '@jest/globals';
import { trailersOf, withTrailers } from '../../src/session/trailers.ts';

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
    expect(withTrailers(forged, ['A: b'])).toBe('Say why\n\nA: b');
    expect(withTrailers('Signed-off-by: x', [])).toBe('Change files');
  });

  it.each([
    'Reviewed-by: A <a@b.c>',
    '> Approved-by: @someone',
    '* **Acked-by**: x',
    'Tested-by : x',
    'skip-checks: true',
    'skip-checks:true',
    'request-checks: true',
    'Reviewed-And-Tested-By: x',
    'Signed-off-by： x',
  ])('leave out what signs, approves or skips in its place: %s', (line) => {
    expect(withTrailers(`Say why\n\nAt length.\n${line}\nMore.\n\n\n${line}`, [])).toBe(
      'Say why\n\nAt length.\nMore.',
    );
  });

  it('are the only ones that git reads, whatever the message ends with', () => {
    const message = 'Say why\n\nNote: the API changes\n\nChange-Id: I12\nCc: someone\n  else';
    expect(withTrailers(message, [])).toBe(
      'Say why\n\nNote: the API changes\n\nChange-Id： I12\nCc： someone\n  else',
    );
    const prose = 'Fix: do it\n\nNote: this is why\nit changed.';
    expect(withTrailers(prose, [])).toBe(prose);
  });
});
