import { describe, expect, it } from '@jest/globals';
import { readHtml } from '../../../src/github/text/index.ts';
import { isApproval } from '../../../src/session/said/approval.ts';
import { renderedLocally } from '../../support/rendered-markdown.ts';

const YES = [
  'approve',
  'approved',
  'Approved.',
  'APPROVED!!!',
  '  go \n',
  'Go!',
  'go ahead',
  'Go ahead, please.',
  'go for it 🚀',
  'lgtm',
  'LGTM 👍',
  'ok',
  'Okay',
  'ok, go',
  'ok thanks',
  'yes',
  'Yes please',
  'yes, do it',
  '👍',
  '👍🏽',
  '👍👍',
  ':+1:',
  ':thumbsup: go',
  '+1',
  '✅',
  '**approved**',
  'Looks good to me.',
  'Sounds good, proceed',
  'ship it',
  'I approve this plan',
  'Perfect, thank you!',
  '/issuewright approve',
  '/issuewright go',
  '@issuewright approved',
  '@issuewright[bot]: go',
  'OK…',
  'LGTM 🎉',
  'LGTM :tada:',
  'Go 👏',
  'go @issuewright',
  'LGTM, @issuewright[bot]!',
  '**@issuewright** go',
  'Great, go ahead!',
  'Works for me',
  'That works, thanks',
  "Let's go",
  'Let’s do this!',
  'Sure thing',
  'Approved - thanks!',
  'Approved.\n\nSent from my iPhone',
  'Go ahead\r\n\r\nGet Outlook for iOS',
  'ok <!-- what nobody sees is not said -->',
];

const NOT_YES = [
  '',
  '   ',
  "don't go",
  'do not go',
  'go away',
  'ok but rename it',
  'OK, but not step 2',
  'ok?',
  'go?',
  'no',
  'not ok',
  'no go',
  'not approved',
  'disapproved',
  'lgtm except for 3',
  'go to bed',
  'go on holiday',
  'go back',
  'go, but keep the old name',
  'go @issuewright but later',
  "don't go ahead",
  'ok but name it X',
  'not yet',
  "let's not",
  "Let's go with the second one",
  'that works for nobody',
  'great',
  'Great, thanks!',
  'nice 🎉',
  '🎉',
  '🙏',
  'go 😕',
  'Sent from my iPhone',
  'No.\n\nSent from my iPhone',
  'ok\n\nSent from my heart',
  'ok go with the second one',
  'approve after lunch',
  'yes and no',
  'yes, no',
  '1. ok 2. no',
  'thanks',
  'please',
  'the plan',
  '👎',
  '👍👎',
  '👍 once it is shorter',
  'not 👍',
  '> go',
  '> approved\n\nno',
  '`go`',
  '```\napprove\n```',
  '<!-- approve -->',
  'approved-by: nobody',
  'ok 😕',
  '@issuewright',
  '@issuewright go @visitor',
  '/issuewright go @visitor',
  'go @issuewright @visitor',
  '/issuewright',
  '/issuewrightapprove',
  'g\u200Bo',
  'gо', // a Cyrillic o
  `${'ok '.repeat(60)}`,
];

const said = (comment: string) => readHtml(renderedLocally(comment)).said;

describe('a plan', () => {
  it.each(YES)('is agreed to by %j', (comment) => {
    expect(isApproval(said(comment), true)).toBe(true);
  });

  it.each(NOT_YES)('is not agreed to by %j', (comment) => {
    expect(isApproval(said(comment), true)).toBe(false);
  });

  it('is not approved by a comment to someone else', () => {
    expect(isApproval(said('@colleague ok'), false)).toBe(false);
    expect(isApproval(said('ok @colleague'), false)).toBe(false);
    expect(isApproval(said('ok'), false)).toBe(true);
  });
});
