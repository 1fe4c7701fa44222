import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { harmless } from '../../../src/github/text/harmless.ts';
import { hostPolicy } from '../../../src/github/text/links.ts';
import { asCode } from '../../../src/github/text/safe.ts';
import { createRedactor } from '../../../src/lib/text/redact.ts';
import { WRITTEN } from '../../lib/hostile-texts.ts';
import { INNOCENT } from '../../lib/innocent-texts.ts';
import { hostile } from '../../lib/support.ts';

const FENCE = '```';

describe('invisible characters', () => {
  it.each([
    ['zero-width characters', 'a\u200Bb\u200Dc\uFEFFd\u2060e', 'abcde'],
    ['bidirectional overrides', 'safe\u202Eelif\u2066x\u2069', 'safeelifx'],
    ['tag characters', `hi${String.fromCodePoint(0xe0041, 0xe0042)}!`, 'hi!'],
    ['control characters', 'a\0b\u001b[31mc\u0007\u0085d', 'ab[31mcd'],
    ['lone selectors', 'a\uFE0Fb 1\uFE0F', 'ab 1'],
    ['lone surrogates', 'a\uD800b', 'a\uFFFDb'],
  ])('%s go', (_what, text, expected) => {
    expect(harmless(text)).toBe(expected);
  });

  it('line breaks, tabs, accents and emoji stay', () => {
    const text = 'one\n\ttwo ⚠️ ❤️ café 日本 🙂';
    expect(harmless(text)).toBe(text);
    expect(harmless('a\r\nb\rc\u2028d')).toBe('a\nb\nc\nd');
  });
});

describe('HTML comments', () => {
  it.each([
    ['plain', 'a<!-- x -->b', 'ab'],
    ['a forged marker', 'hi\n<!-- issuewright:1:status -->', 'hi\n'],
    ['over lines', 'a<!-- x\n\ny -->b', 'ab'],
    ['empty', 'a<!-->b<!--->c', 'abc'],
    ['closed the other way', 'a<!-- x --!>b', 'ab'],
    ['never closed', 'a<!-- b', 'a‹!-- b'],
    ['put together by a removal', '<<!-- -->!-- issuewright:1:x -->', '‹!-- issuewright:1:x -->'],
    ['split by what nobody sees', 'a<\u200B!-- x -->b', 'ab'],
    ['as a declaration', '<!doctype x>', '‹!doctype x>'],
    ['as an instruction', '<?x y?>', '‹?x y?>'],
    ['as character data', '<![CDATA[ x ]]>', '‹![CDATA[ x ]]>'],
    ['in code', `${FENCE}html\n<!-- shown -->\n${FENCE}`, `${FENCE}html\n‹!-- shown -->\n${FENCE}`],
    ['in a span', 'use `<!-- x -->` there', 'use `‹!-- x -->` there'],
  ])('%s', (_what, text, expected) => {
    expect(harmless(text)).toBe(expected);
  });
});

describe('mentions', () => {
  it.each([
    ['a person', 'thanks @octo-maintainer!', 'thanks @\u200Bocto-maintainer!'],
    ['a team', '@example/everyone', '@\u200Bexample/everyone'],
    ['an escaped sign', String.raw`\@someone`, '\\@\u200Bsomeone'],
    [
      'an entity',
      '&#64;someone &#x40;someone &commat;x',
      '&amp;#64;someone &amp;#x40;someone &amp;commat;x',
    ],
    ['an entity without its end', '&#64someone', '&amp;#64someone'],
    [
      'behind markup',
      '**@someone** _@someone_ [@a](b)',
      '**@\u200Bsomeone** _@\u200Bsomeone_ [@\u200Ba](b)',
    ],
    ['behind an accent', 'é@someone', 'é@\u200Bsomeone'],
    ['a mail address', 'mail a@example.com', 'mail a@example.com'],
    ['a lone sign', 'at @ noon, @, @-', 'at @ noon, @, @-'],
    ['in a URL', 'https://unpkg.com/@scope/name', 'https://unpkg.com/%40scope/name'],
  ])('of %s', (_what, text, expected) => {
    expect(harmless(text)).toBe(expected);
  });

  it('in Markdown read as they were, and stay as they are when they are published again', () => {
    const clean = harmless('thanks @someone') ?? '';
    expect(clean.replaceAll('\u200B', '')).toBe('thanks @someone');
    expect(harmless(clean)).toBe(clean);
    expect(harmless('@\u200B\u200Bsomeone', { mentions: ['me'] })).toBe('@\u200Bsomeone');
    expect(harmless('thanks @someone', { isPlain: true })).toBe('thanks ＠someone');
  });

  it('of those on the list stay, as a whole name only', () => {
    const clean = (text: string) => harmless(text, { mentions: ['Octo-Maintainer'] });
    expect(clean('@octo-maintainer: done')).toBe('@octo-maintainer: done');
    expect(clean('@octo-maintainers')).toBe('@\u200Bocto-maintainers');
    expect(clean('@octo-maintainer/team')).toBe('@\u200Bocto-maintainer/team');
    expect(clean('@octo')).toBe('@\u200Bocto');
  });

  it.each([
    ['a fence', `Run:\n${FENCE}sh\nnpm i @scope/name\n${FENCE}\n`],
    ['a fence that holds another', `~~~~\n~~~\n@a\n${FENCE}\n~~~~\n`],
    ['a span', 'update `@scope/name` and `@other`'],
  ])('in %s stay, because they notify no one', (_what, text) => {
    expect(harmless(text)).toBe(text);
  });

  it.each([
    ['an indented fence', `- item\n\n  ${FENCE}\n@someone\n`],
    ['a fence whose list ends before it', `- a\n\n  ${FENCE}\n @someone\n  ${FENCE}`],
    ['a fence in a list', `- ${FENCE}\n- @someone\n`],
    ['a fence inside HTML', `<div>\n${FENCE}\n@someone\n${FENCE}\n</div>`],
    [
      'a fence inside an element that is shown as text',
      `<script>\n\n${FENCE}\n@someone\n\n</script>`,
    ],
    ['what closes a fence that began indented', ` ${FENCE}\nx\n${FENCE}\n@someone`],
    ['a closed fence', `${FENCE}\nx\n${FENCE}\n@someone`],
    ['a fence with backticks in its first line', `${FENCE}a\`b\n@someone\n${FENCE}`],
    ['escaped backticks', 'no \\`@someone\\` span'],
    ['a span over lines', 'a ` b\n`@someone` c'],
    ['an odd backtick', '`a` ` `@someone` b'],
    ['double backticks', '`` ` `@someone` `'],
    ['a table', '| `@someone | b` |\n|---|---|'],
    ['an attribute', '<a title="`">`@someone`</a>'],
    ['raw text', '<textarea>\n\n`@someone`\n\n</textarea>'],
  ])('in what only looks like code are defused: %s', (_what, text) => {
    expect(harmless(text)).not.toMatch(/@someone/);
  });
});

describe('orders to skip checks, and signatures', () => {
  it.each([
    ['Fix it [skip ci]', 'Fix it (skip ci)'],
    ['[CI SKIP] x', '(CI SKIP) x'],
    [
      '[ci-skip][no ci][skip-actions][CF-Pages-Skip]',
      '(ci-skip)(no ci)(skip-actions)(CF-Pages-Skip)',
    ],
    ['[sk\u200Bip ci]', '(skip ci)'],
    ['[skip<!-- --> ci]', '(skip ci)'],
    ['`[skip ci]`', '`(skip ci)`'],
    ['Fix it ［skip ci］', 'Fix it (skip ci)'],
    ['[ｓｋｉｐ　ｃｉ] ［𝐧𝐨 𝐜𝐢］', '(skip ci) (no ci)'],
    [
      'x［ci－skip］ 配列［添字］ ［skip to content］',
      'x(ci-skip) 配列［添字］ ［skip to content］',
    ],
    [`${FENCE}\n[ci skip]\n${FENCE}`, `${FENCE}\n(ci skip)\n${FENCE}`],
    ['[[skip ci]]', '[(skip ci)]'],
    ['***NO_CI*** ****no_ci****', '***NO-CI*** ****no-ci****'],
    [
      '[skip ci](https://github.com/o/r) fix[ci skip]',
      '(skip ci)(https://github.com/o/r) fix(ci skip)',
    ],
    ['Fix it --skip-ci', 'Fix it --skip_ci'],
    ['`--Skip-CI`, (--ci-skip)', '`--Skip_CI`, (--ci_skip)'],
    ['\u2212-sk\u200Bip-ci --skip\u200B-ci', '\u2212-skip-ci --skip_ci'],
    [
      '--skip-cities --no-skip-ci x--skip-ci --skip-ci-jobs',
      '--skip-cities --no-skip-ci x--skip-ci --skip-ci-jobs',
    ],
    ['Release-As: 9.9.9', 'Release-As： 9.9.9'],
    ['Reviewed-by: A', 'Reviewed-by： A'],
    ['Docker-DCO-1.1-Signed-off-by: A', 'Docker-DCO-1.1-Signed-off-by： A'],
    ['skip-checks\u00a0: true', 'skip-checks\u00a0： true'],
    ['x\n> approved-by : A', 'x\n> approved-by ： A'],
    ['skip-checks:true', 'skip-checks：true'],
    [`Reviewed-by${' '.repeat(12)}: A`, `Reviewed-by${' '.repeat(12)}： A`],
    [`${'> '.repeat(30)}Tested-by\t: A`, `${'> '.repeat(30)}Tested-by\t： A`],
  ])('%s', (text, expected) => {
    expect(harmless(text)).toBe(expected);
  });

  it.each([
    'skip ci',
    'ci skip',
    'no ci',
    'skip actions',
    'actions skip',
    ' Skip CI ',
    'ci-skip',
    'skip_ci',
    'ciskip',
    'skip: ci',
    'skip azp',
    'azurepipelines skip',
    'skip travis-ci',
    'travis ci skip',
    'skip circleci',
    'skip appveyor',
    'skip netlify',
    'CF-Pages-Skip',
    'skip release',
    'release skip',
    'vela skip',
    'skip-cd',
    'skip render',
    'skip deploy',
    'eas skip',
    'dependabot skip',
    'skip pre-commit.ci',
    'skip-cirrus-ci',
    'skipRun',
    'skip_build',
    'skip\nci',
    'deploy: production',
  ])('such as a CI documents: [%s]', (order) => {
    expect(harmless(`Fix it [${order}]`)).toBe(`Fix it (${order})`);
  });

  it.each([
    `${FENCE}ts\nitems[skip]; map[ignore] = offsets[off]; x[skip + 1]; y[skip_build]; f([noRelease, skipTests])\n${FENCE}`,
    '[Skip to content](https://github.com/o/r) and [no-console], [nothing], [skipped]',
    '- [ ] to do\n- [x] done',
    'list[0] and map[key name]',
    '[docs] Update [the notes](https://github.com/o/r) offline',
    'a ***strong*** word, written by: hand',
    'Content-Type: text/plain',
    'sort-by: name\nGroup-by: place\nhealth-checks: on\n- **order-by**: x',
  ])('not in "%s"', (text) => expect(harmless(text)).toBe(text));
});

describe('a text that is published as code', () => {
  const code = (text: string) =>
    asCode(text, { limit: 10_000, cutMark: '' }, createRedactor(['p@ss/word'])).split('\n')[1];

  it.each([
    ['Fix ****NO_CI****', 'Fix ****NO-CI****'],
    ['[skip ci] Reviewed-by: A fixes #1 <!-- x', '(skip ci) Reviewed-by: A fixes → #1 ‹!-- x'],
    // Without its backslashes, a line that hides a secret is an order.
    [String.raw`\[skip ci\] p\@ss\/word`, String.raw`\[skip ci\] [redacted]`],
  ])('orders nothing, however much it takes: %s', (text, expected) => {
    expect(code(text)).toBe(expected);
  });
});

describe('closing keywords', () => {
  it.each([
    ['fixes #1', 'fixes → #1'],
    ['fixes//a.example/b#1', 'fixes//→ a.example/b#1'],
    ['Closes: #12, resolved #13', 'Closes: → #12, resolved → #13'],
    ['fixes@someone#2', 'fixes@→ someone#2'],
    ['fixes!? – “#2”', 'fixes!? – “→ #2”'],
    ['closes owner/repo#2', 'closes → owner/repo#2'],
    [String.raw`fixes/\a.example//b/c.png#2`, String.raw`fixes/\→ a.example//b/c.png#2`],
    ['fix GH-3', 'fix → GH-3'],
    ['fixes https://github.com/o/r/issues/3', 'fixes → https://github.com/o/r/issues/3'],
    ['fixes github.example.com:8443/o/r/pull/3', 'fixes → github.example.com:8443/o/r/pull/3'],
    ['**Fixes** #1', '**Fixes** → #1'],
    ['fixes\n#1', 'fixes\n→ #1'],
    ['fixes [#1](x)', 'fixes [→ #1](x)'],
    ['fixes <b>#1</b>', 'fixes <b>→ #1</b>'],
    [String.raw`fixes \#1`, String.raw`fixes \→ #1`],
    ['fix\u200Bes #1', 'fixes → #1'],
    ['fix<!-- -->es #1', 'fixes → #1'],
    ['`fixes #1`', '`fixes → #1`'],
    [`fixes${' '.repeat(300)}#1`, `fixes${' '.repeat(300)}→ #1`],
  ])('%s', (text, expected) => {
    expect(harmless(text)).toBe(expected);
  });

  it.each(['prefixes #1', 'fixes issue #1', 'this fixes it (#1)', 'see #1', 'fixes → #1'])(
    'not in "%s"',
    (text) => expect(harmless(text)).toBe(text),
  );

  it('may close the one issue that is given, named by its number', () => {
    const clean = (text: string) => harmless(text, { closes: 7 });
    expect(clean('Closes #7')).toBe('Closes #7');
    expect(clean('Closes #70, closes o/r#7')).toBe('Closes → #70, closes → o/r#7');
  });

  it('an entity cannot spell one', () => {
    expect(harmless('f&#105;xes &#35;1')).toBe('f&amp;#105;xes &amp;#35;1');
  });
});

const PUBLIC = { mentions: ['me'], closes: 7, links: hostPolicy(['github.com', '*.example.com']) };

describe('a text that is published', () => {
  it.each(WRITTEN)('is without %s', (_attack, text, cleaned) => {
    expect(harmless(text, PUBLIC)).toBe(cleaned);
    expect(harmless(cleaned, PUBLIC)).toBe(cleaned);
  });

  it.each(INNOCENT)('is what it was: %s', (_what, text) => {
    expect(harmless(text, PUBLIC)).toBe(text);
  });

  it('links to the hosts that are allowed', () => {
    const text =
      '[a](https://docs.example.com/b) <https://docs.example.com> https://a.docs.example.com';
    expect(harmless(text, PUBLIC)).toBe(text);
    expect(harmless('https://example.com', PUBLIC)).toBe('https：//example.com');
    expect(harmless('https://github.com:8443', PUBLIC)).toBe('https：//github.com:8443');
  });

  it('keeps its links if it is not Markdown, such as a commit message', () => {
    expect(harmless('See https://example.org, a <b>.')).toBe('See https://example.org, a <b>.');
  });
});

describe('any text', () => {
  it('is harmless after one time, or resists and is not published as it is', () => {
    let resisted = 0;
    fc.assert(
      fc.property(hostile, (text) => {
        const once = harmless(text, PUBLIC);
        if (once === undefined) {
          resisted += 1;
          return;
        }
        expect(harmless(once, PUBLIC)).toBe(once);
        expect(once).not.toMatch(/<[!?]/);
        expect(once).not.toMatch(/(?<![a-z0-9])fixes:?\s+#1/i);
      }),
      { numRuns: 2000 },
    );
    expect(resisted).toBeLessThan(5);
  });
});
