import { describe, expect, it } from '@jest/globals';
import { asksIn, isRemark } from '../../src/events/asks.ts';
import { readHtml } from '../../src/github/text/index.ts';
import { expectLinear } from '../support/growth.ts';
import {
  hasCmark,
  renderAhead,
  renderedByCmark,
  renderedLocally,
} from '../support/rendered-markdown.ts';

/** "to: for numbers", `!` if the comment says nothing else, `off` of a merge, and `meant?`. */
const asked = (body: string, render: (text: string) => string): string[] =>
  asksIn(readHtml(render(body)).said).map(({ to, for: what, alone, numbers = [], isOff, meant }) =>
    [
      `${to}: ${what}${alone ? '!' : ''}`,
      ...numbers,
      ...(isOff ? ['off'] : []),
      ...(meant ? [`${meant}?`] : []),
    ].join(' '),
  );

const TICKS = '```';

const WORK = ['issuewright: work'];
const STOP = ['issuewright: stop!'];

const ASKING: [what: string, body: string, asks: string[]][] = [
  ['a mention', 'Please look, @issuewright', ['issuewright: work']],
  ['a mention at the start', '@issuewright add a test for it', ['issuewright: work']],
  ['a mention in other letters', '@IssueWright, do it', ['issuewright: work']],
  ['a command about failed checks', '/issuewright fix', ['/: fix!']],
  ['a mention before a full stop', 'Over to @issuewright.', ['issuewright: work']],
  ['a mention in brackets', 'Somebody (@issuewright?) could do it', ['issuewright: work']],
  ['the account of a bot', '@issuewright[bot] do it', ['issuewright: work']],
  ['a mention in bold', '**@issuewright** do it', ['issuewright: work']],
  ['a mention in a list', '- @issuewright: the first of these', ['issuewright: work']],
  ['a mention in a heading', '# @issuewright', ['issuewright: work']],
  ['two of them, once each', '@one and @two, then @one', ['one: work', 'two: work']],
  ['a slash and words', '/issuewright use the other API', ['/: work']],
  ['a slash alone', '/issuewright', ['/: work']],
  ['a slash in other letters', '/IssueWright do it', ['/: work']],
  ['a slash after three spaces', '   /issuewright do it', ['/: work']],
  ['a slash on a later line', 'That is wrong.\n/issuewright do it again', ['/: work']],
  ['a command', '/issuewright stop', ['/: stop!']],
  ['a command in other letters', '/issuewright STOP', ['/: stop!']],
  ['a polite command', '/issuewright stop, please!', ['/: stop!']],
  ['a command by mention', '@issuewright stop', ['issuewright: stop!']],
  ['a command before the mention', 'Please stop, @issuewright!', ['issuewright: stop!']],
  ['a command with Windows line ends', '/issuewright pause\r\n', ['/: pause!']],
  ['a command with more below', '/issuewright retry\nUse the other API.', ['/: retry']],
  ['a command with other signs', '/issuewright **stop** 👍', ['/: stop!']],
  ['a command with the code of a sign', '/issuewright retry :tada:', ['/: retry!']],
  ['a command in brackets', '@issuewright stop (now)', ['issuewright: stop!']],
  ['a command with a sign by mention', 'stop @issuewright 🙏', ['issuewright: stop!']],
  ['a command said twice', '@issuewright stop, STOP!', ['issuewright: stop!']],
  ['a command by mention in bold', '**@issuewright** stop', ['issuewright: stop!']],
  ['a command by mention in italics', '_@issuewright_ stop', ['issuewright: stop!']],
  ['a command beside an invisible comment', '@issuewright stop <!-- x -->', STOP],
  ['a command in a mail', '@issuewright stop\n\nSent from my iPhone', STOP],
  ['a command beside code', '@issuewright stop `x`', WORK],
  ['a command beside an address', '@issuewright stop https://example.com', WORK],
  ['a command with fillers', '/issuewright stop the work', ['/: stop!']],
  ['a command with fillers by mention', '@issuewright stop it right now', STOP],
  ['another name of stop', '/issuewright cancel', ['/: stop!']],
  ['another name of stop by mention', '@issuewright abort!', STOP],
  ['a third name of stop', '/issuewright halt', ['/: stop!']],
  ['another name of resume', '/issuewright continue', ['/: resume!']],
  ['another name of resume by mention', '@issuewright unpause', ['issuewright: resume!']],
  ['another name in a sentence', '/issuewright continue, but with the other API', ['/: work']],
  ['a command with a reason', '/issuewright stop - wrong approach', ['/: stop']],
  ['a command and a sentence', '/issuewright stop, we do not need it any more', ['/: stop']],
  ['fillers and a sentence', '/issuewright please stop it. It is wrong', ['/: stop']],
  ['another name and a reason', '/issuewright abort (wrong branch)', ['/: stop']],
  ['a new conversation', '/issuewright new', ['/: new!']],
  ['a new conversation and what to mind', '/issuewright new: mind the docs', ['/: new']],
  ['a sentence that begins with new', '@issuewright new tests, please', ['issuewright: work']],
  ['a command and what to mind', '/issuewright retry: with the other API', ['/: retry']],
  ['a stop of something', '/issuewright stop using tabs', ['/: unclear! stop?']],
  ['a pause with a time', '/issuewright pause until Monday', ['/: unclear! pause?']],
  ['a word with a hyphen', '/issuewright stop-gap for the release', ['/: unclear! stop?']],
  ['a stop of something by mention', '@issuewright stop using tabs', WORK],
  ['a sentence that begins like one', '/issuewright retry with the other API', ['/: work']],
  ['another sentence like that', '/issuewright plan the migration', ['/: work']],
  ['the name of a file', '/issuewright cost.ts is wrong', ['/: work']],
  ['a stop that is not wanted', "/issuewright don't stop", ['/: work']],
  ['two commands', '/issuewright status\n/issuewright pause', ['/: status', '/: pause']],
  ['the memories', '/issuewright memory', ['/: memory!']],
  ['the memories by mention', 'Please @issuewright memories!', ['issuewright: memory!']],
  ['one memory', '/issuewright memory 12', ['/: memory! 12']],
  ['a memory that is to be forgotten', '/issuewright forget 3', ['/: forget! 3']],
  ['several of them', '/issuewright please forget memories 3, 5 and 7 now', ['/: forget! 3 5 7']],
  ['several on two lines', '/issuewright forget 3\n/issuewright forget 4', ['/: forget 3 4']],
  ['one by mention', '@issuewright forget memory no. 3', ['issuewright: forget! 3']],
  ['one with a reason', '/issuewright forget 3: it is outdated', ['/: forget! 3']],
  ['one behind code', '/issuewright forget `x` 3', ['/: forget! 3']],
  ['the same one twice', '/issuewright forget 3 3', ['/: forget! 3']],
  ['no number', '/issuewright forget it', ['/: forget!']],
  ['a range', '/issuewright forget 1-5', ['/: forget!']],
  ['a range in words', '/issuewright forget 1 to 5', ['/: forget!']],
  ['a fraction', '/issuewright forget 1.5', ['/: forget!']],
  ['a base', '/issuewright base #12', ['/: base!']],
  [
    'a base in a sentence',
    '@issuewright please base this on the pull request #12.',
    ['issuewright: base!'],
  ],
  ['a base, and more', '/issuewright base #12, and use tabs', ['/: base']],
  ['a base without a number', '/issuewright base', ['/: unclear! base?']],
  ['a request about a base', '/issuewright base the parser on #12', ['/: work']],
  ['another one', '/issuewright base64 for #12', ['/: work']],
  ['a merge', '/issuewright merge when ready', ['/: merge!']],
  ['a merge by mention', '@issuewright please merge it when ready!', ['issuewright: merge!']],
  ['no merge', '/issuewright do not merge', ['/: merge! off']],
  ['no merge by mention', "@issuewright don't merge this", ['issuewright: merge! off']],
  ['no merge when ready', '/issuewright don’t merge when ready', ['/: merge! off']],
  ['a merge alone', '/issuewright merge', ['/: unclear! merge?']],
  ['a merge and more', '/issuewright merge when ready, and skip the tests', ['/: unclear! merge?']],
  ['a request to merge', '/issuewright merge main into this', ['/: work']],
  ['a request to merge by mention', '@issuewright merge the two parsers', WORK],
  ['a merge later', '/issuewright merge when the tests pass', ['/: work']],
  ['a request about memory', '/issuewright memory leak in the parser', ['/: work']],
  ['a memory that has a colon', '/issuewright memory: the parser leaks', ['/: work']],
  ['a request to forget', '/issuewright forget about tabs, use spaces', ['/: work']],
  ['a request to forget by mention', '@issuewright forget 2 of these columns', WORK],
  ['a misspelled one', '/issuewright froget', ['/: unclear! forget?']],
  ['please', '@issuewright please', WORK],
  ['thanks for what is to come', '@issuewright work on it, thanks', WORK],
  ['thanks above a request', '@issuewright thanks!\n\nNow the second part.', WORK],
  ['praise that may agree', 'Looks good to me, @issuewright!', ['issuewright: approve!']],
  ['thanks beside a command', 'Thanks @issuewright!\n/issuewright stop', ['/: stop']],
  [
    'praise that may agree to a plan',
    '@issuewright Perfect, thank you!',
    ['issuewright: approve!'],
  ],
  ['thanks after a slash', '/issuewright thanks', ['/: work']],
  [
    'what GitHub shows of it',
    '/issuewright status\n\n<!--\n/issuewright stop\n-->',
    ['/: status!'],
  ],
  [
    'an element that GitHub does not hide',
    '<div hidden>\n\n/issuewright stop\n\n</div>',
    ['/: stop!'],
  ],
  ['an escaped sign, which people see as any other', '\\@issuewright', WORK],
  ['a comment that is not closed, which people see', 'Hi <!-- \n/issuewright stop', ['/: stop']],
  ['a fence that its item ends', '-\t```\n@issuewright stop', STOP],
  ['a sentence that ends like one', '@issuewright write down the cost', ['issuewright: work']],
  ['another single word', '/issuewright go', ['/: work']],
  ['letters the wrong way round', '/issuewright stpo', ['/: unclear! stop?']],
  ['a letter too few', '/issuewright reume', ['/: unclear! resume?']],
  ['a letter too many', '/issuewright paause', ['/: unclear! pause?']],
  ['a wrong letter', '@issuewright halp', ['issuewright: unclear! help?']],
  ['a mention after a quotation', '> Done.\n\n@issuewright not yet', ['issuewright: work']],
  ['a mention after code', `${TICKS}\nx\n${TICKS}\n@issuewright why?`, ['issuewright: work']],
  ['a mention beside code', 'Like `a@b` here, @issuewright', ['issuewright: work']],
  ['a mention beside a lone backtick', "It's a ` sign, @issuewright", ['issuewright: work']],
  ['a mention after code in an item', `- a\n  ${TICKS}\n  x\n  ${TICKS}\n\n@issuewright b`, WORK],
  ['a mention after code behind a mark', `1. ${TICKS}\n   x\n   ${TICKS}\n\n@issuewright b`, WORK],
  ['a mention after code below a list', `- a\n\n${TICKS}\nx\n  ${TICKS}\n@issuewright b`, WORK],
  ['a mention after code that ends further left', `  ${TICKS}\nx\n${TICKS}\n@issuewright b`, WORK],
  ['a mention after a span of three signs', `${TICKS}x${TICKS} fails\n\n@issuewright b`, WORK],
  ['a mention below spans in a list', '- one `a`\n- two `b`\n- @issuewright mend them', WORK],
  ['a command after a quotation with code', '> it says `x`\n\n@issuewright stop', STOP],
  ['a mention in a nested list', '- a\n    - @issuewright b', WORK],
  [
    'a mention in folded details',
    '<details>\n\n@issuewright look\n\n</details>',
    ['issuewright: work'],
  ],
];

const SILENT: [what: string, body: string][] = [
  ['nothing', 'Thanks, that works.'],
  ['thanks', 'Thanks @issuewright!'],
  ['thanks in two words', 'thank you so much @issuewright 🎉'],
  ['praise', '@issuewright great job, thanks'],
  ['praise of what was done', '@issuewright that was well done'],
  ['thanks on two lines', 'Cheers, @issuewright!\n\nGreat work.'],
  ['thanks in a mail', 'Thanks @issuewright\r\n\r\nSent from my iPhone'],
  ['thanks beside what another is asked', 'Thanks @issuewright!\n@other please look'],
  ['an underscore in front of it', 'foo_@issuewright stop'],
  ['an underscore behind it', '@issuewright_foo stop'],
  ['the text of a picture with a comment', '![@issuewright stop <!-- ](x.png)'],
  ['the title of a link with a comment', '[x](a "@issuewright stop <!-- ")'],
  ['an address', 'Write to help@issuewright'],
  ['a path', 'See https://example.com/@issuewright and src/@issuewright'],
  ['an address with a query', 'https://example.com/?who=@issuewright'],
  ['a team', '@issuewright/maintainers'],
  ['a package', 'npm install @issuewright/core'],
  ['a slash in a sentence', 'You can write /issuewright stop'],
  ['a slash in a path', '/issuewright/stop and /issuewright-stop'],
  ['a slash of another', '/issuewrights stop'],
  ['a quotation', '> @issuewright do it\n> /issuewright stop'],
  ['a quotation in a list', '- > @issuewright do it'],
  ['a quotation that continues', '> He said\n@issuewright do it'],
  ['a quotation in a quotation', '>> /issuewright stop'],
  ['a code span', 'Type `@issuewright stop`'],
  ['a code span with two signs', 'Type `` @issuewright ` ``'],
  ['a code span over lines', 'Type `\n/issuewright stop\n` so'],
  ['a fenced block', `${TICKS}\n/issuewright stop\n${TICKS}`],
  ['a fenced block with a language', `${TICKS}text\n@issuewright\n${TICKS}`],
  ['a fenced block of tildes', '~~~\n/issuewright stop\n~~~'],
  ['a fence within a longer one', '````\n```\n/issuewright stop\n```\n````'],
  ['a fenced block that is not closed', `${TICKS}\n/issuewright stop`],
  ['a fenced block in a list', `- ${TICKS}\n  /issuewright stop\n  ${TICKS}`],
  ['a fence in a difference', `${TICKS}diff\n- ${TICKS}\n@issuewright stop\n${TICKS}`],
  ['a fence that is far in', `${TICKS}\n    ${TICKS}\n/issuewright stop\n${TICKS}`],
  ['a fence in a quotation', `${TICKS}\n> ${TICKS}\n@issuewright stop\n> ${TICKS}\n${TICKS}`],
  ['a fence that its item ends', `- ${TICKS}\n${TICKS}\n@issuewright stop\n${TICKS}`],
  ['a fence further in than its item', `- a\n    ${TICKS}\n      ${TICKS}\n  @issuewright stop`],
  ['a fence of a footnote', `[^1]: ${TICKS}\n    @issuewright stop\n\nx[^1]`],
  ['a fence that is none, and one', `${TICKS} a\`b\n${TICKS}\n@issuewright stop\n${TICKS}`],
  ['a fence behind a number', `3.5 ${TICKS}\n${TICKS}\n@issuewright stop\n${TICKS}`],
  ['a fence in HTML', `<div>\n${TICKS}\n\n${TICKS}\n@issuewright stop\n${TICKS}`],
  ['a fence in an instruction', `<?\n\n${TICKS}\n?>\n${TICKS}\n@issuewright stop\n${TICKS}`],
  ['code in an item', '-     @issuewright stop'],
  ['code in an item behind tabs', 'a\n\n-\t\t@issuewright do'],
  ['code below a heading', '# a\n    @issuewright stop'],
  ['code behind spaces and a tab', 'a\n\n  \t@issuewright stop'],
  ['a code span beside another item', 'a ` b\n- ` @issuewright stop `'],
  ['a code span behind a block', 'a ` b\n```\nx\n```\n` @issuewright stop `'],
  ['a code span behind an escaped sign', '\\` a ` @issuewright stop `'],
  ['a code span that begins like a fence', `${TICKS} a\`b\n@issuewright stop\n2. ${TICKS}`],
  ['a code span over what looks like code', '\\`` @issuewright stop\n2. -     a ` b'],
  ['a code span over what looks like a quotation', '`` @issuewright stop\n2. > a\nb ``'],
  ['a code span below code in an item', '-     a `\n    b `\n@issuewright stop `'],
  ['a quotation over a line that looks empty', '> a\n\u00A0\n@issuewright stop'],
  ['a quotation in a footnote', '[^1]: > a\n@issuewright stop\n\nx[^1]'],
  ['an indented block', 'Like this:\n\n    /issuewright stop\n\n    @issuewright'],
  ['a block indented by a tab', '\t@issuewright do it'],
  ['an invisible comment', 'Hi <!-- @issuewright do it -->'],
  ['a comment over lines', '<!--\n/issuewright stop\n-->'],
  ['preformatted HTML', '<pre>\n/issuewright stop\n</pre>'],
  ['code in HTML', '<code>@issuewright</code>'],
  ['a quotation in HTML', '<blockquote>\n\n@issuewright do it\n\n</blockquote>'],
  ['an attribute', '<img src="x" alt="@issuewright do it">'],
  ['a title of a link', '[x](https://example.com "@issuewright do it")'],
  ['a definition of a link', '[x]: https://example.com "@issuewright"'],
  ['an invisible character', '@issue\u200Bwright do it'],
];

const RENDERERS: [name: string, render: (text: string) => string][] = [
  ['the local GitHub', renderedLocally],
  ...(hasCmark ? ([['cmark-gfm', renderedByCmark]] as [string, typeof renderedByCmark][]) : []),
];

renderAhead([...ASKING, ...SILENT].map(([, body]) => body));

describe.each(RENDERERS)('as %s shows it', (_name, render) => {
  describe('a comment asks with', () => {
    it.each(ASKING)('%s', (_what, body, asks) => expect(asked(body, render)).toEqual(asks));
  });

  describe('a comment asks nothing of us with', () => {
    it.each(SILENT)('%s', (_what, body) => {
      const ours = asked(body, render).filter((ask) => /^(?:issuewright|\/):/.test(ask));
      expect(ours).toEqual([]);
    });
  });
});

describe('the longest comments', () => {
  const FULL = 65_536;

  it.each(['@a ', '/issuewright\n', '@a-', '_', '@a_', '/issuewright stop a ', ' ', '\t', '***'])(
    'of %j are read in time that grows with their length',
    (text) => {
      expectLinear((size) => {
        const line = `@x ${text.repeat(Math.ceil(size / text.length)).slice(0, size)}`;
        expect(asksIn({ lines: line.split('\n'), hasMore: false }).length).toBeLessThanOrEqual(20);
      }, FULL);
    },
  );
});

describe("a comment on the App's own pull request that names no App", () => {
  const isRequest = (body: string): boolean => isRemark(readHtml(renderedLocally(body)).said);

  it.each([
    'Please rename it to `hallo`.',
    'Why is this a class?',
    'Thanks!\n\nThe docs still say the opposite.',
    'LGTM, but the name is wrong.',
    '> Adds a greeting\n\nThere should be two.',
    '/retest\n\nAnd add a test for zero.',
    'Bitte auf Deutsch.',
  ])('asks for work: %j', (body) => expect(isRequest(body)).toBe(true));

  it.each([
    'Thanks, great work!',
    'LGTM',
    'Ship it',
    '👍',
    '+1',
    '/retest',
    '/label bug',
    '@alice could you look at this?',
    'What do you think, @alice?',
    '> Adds a greeting',
    '```\nError: no\n```',
    '<!-- rename it -->',
    '',
  ])('asks for nothing: %j', (body) => expect(isRequest(body)).toBe(false));
});
