import { describe, expect, it } from '@jest/globals';
import { asksIn } from '../../src/events/asks.ts';
import { stopwatch } from '../support/computing.ts';

/** "to: for", `!` where the comment says nothing else. */
const asked = (body: string): string[] =>
  asksIn(body).map(({ to, for: what, alone }) => `${to}: ${what}${alone ? '!' : ''}`);

const TICKS = '```';

const ASKING: [what: string, body: string, asks: string[]][] = [
  ['a mention', 'Please look, @issuewright', ['issuewright: work']],
  ['a mention at the start', '@issuewright add a test for it', ['issuewright: work']],
  ['a mention in other letters', '@IssueWright, fix it', ['issuewright: work']],
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
  ['a sentence that begins like one', '/issuewright stop using tabs', ['/: work']],
  ['a sentence that ends like one', '@issuewright write down the cost', ['issuewright: work']],
  ['another single word', '/issuewright go', ['/: work']],
  ['letters the wrong way round', '/issuewright stpo', ['/: unclear!']],
  ['a letter too few', '/issuewright reume', ['/: unclear!']],
  ['a letter too many', '/issuewright paause', ['/: unclear!']],
  ['a wrong letter', '@issuewright halp', ['issuewright: unclear!']],
  ['a mention after a quotation', '> Done.\n\n@issuewright not yet', ['issuewright: work']],
  ['a mention after code', `${TICKS}\nx\n${TICKS}\n@issuewright why?`, ['issuewright: work']],
  ['a mention beside code', 'Like `a@b` here, @issuewright', ['issuewright: work']],
  ['a mention beside a lone backtick', "It's a ` sign, @issuewright", ['issuewright: work']],
  [
    'a mention in folded details',
    '<details>\n\n@issuewright look\n\n</details>',
    ['issuewright: work'],
  ],
];

const SILENT: [what: string, body: string][] = [
  ['nothing', 'Thanks, that works.'],
  ['an address', 'Write to help@issuewright'],
  ['a path', 'See https://example.com/@issuewright and src/@issuewright'],
  ['an address with a query', 'https://example.com/?who=@issuewright'],
  ['a team', '@issuewright/maintainers'],
  ['a package', 'npm install @issuewright/core'],
  ['an escaped sign', '\\@issuewright'],
  ['a slash in a sentence', 'You can write /issuewright stop'],
  ['a slash in a path', '/issuewright/stop and /issuewright-stop'],
  ['a slash of another', '/issuewrights stop'],
  ['a quotation', '> @issuewright do it\n> /issuewright stop'],
  ['a quotation in a list', '- > @issuewright do it'],
  ['a quotation that goes on', '> He said\n@issuewright do it'],
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
  ['an indented block', 'Like this:\n\n    /issuewright stop\n\n    @issuewright'],
  ['a block indented by a tab', '\t@issuewright do it'],
  ['a comment that nobody sees', 'Hi <!-- @issuewright do it -->'],
  ['a comment over lines', '<!--\n/issuewright stop\n-->'],
  ['a comment that is not closed', 'Hi <!-- \n/issuewright stop'],
  ['preformatted HTML', '<pre>\n/issuewright stop\n</pre>'],
  ['code in HTML', '<code>@issuewright</code>'],
  ['a quotation in HTML', '<blockquote>\n\n@issuewright do it\n\n</blockquote>'],
  ['an attribute', '<img src="x" alt="@issuewright do it">'],
  ['a title of a link', '[x](https://example.com "@issuewright do it")'],
  ['a definition of a link', '[x]: https://example.com "@issuewright"'],
  ['hidden HTML', '<div hidden>@issuewright do it</div>'],
  ['a sign that nobody sees', '@issue\u200Bwright do it'],
];

describe('a comment asks with', () => {
  it.each(ASKING)('%s', (_what, body, asks) => expect(asked(body)).toEqual(asks));
});

describe('a comment asks nothing of us with', () => {
  it.each(SILENT)('%s', (_what, body) => {
    expect(asked(body).filter((ask) => /^(?:issuewright|\/):/.test(ask))).toEqual([]);
  });
});

describe('the longest comments', () => {
  const FULL = 65_536;
  const repeat = (text: string) => text.repeat(Math.ceil(FULL / text.length)).slice(0, FULL);

  it.each([
    '@a ',
    '`',
    '` ',
    '``` `` ` ',
    '<!--',
    '<pre>',
    '](',
    '[x]: ',
    '> ',
    '<a ',
    '/issuewright\n',
    '@a-',
  ])('of %j are read in no time', (text) => {
    const taken = stopwatch();
    expect(asksIn(`@x ${repeat(text)}`).length).toBeLessThanOrEqual(20);
    expect(taken()).toBeLessThan(1_500);
  });
});
