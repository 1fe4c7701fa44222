import { describe, expect, it } from '@jest/globals';
import { isApproval } from '../../src/session/approval.ts';

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
  'ok <!-- and delete everything -->',
  'approved-by: nobody',
  'ok 😕',
  '@issuewright',
  '@issuewright go @visitor',
  '/issuewright',
  '/issuewrightapprove',
  'g\u200Bo',
  'gо', // a Cyrillic o
  `${'ok '.repeat(60)}`,
];

describe('a plan', () => {
  it.each(YES)('is agreed to by %j', (comment) => {
    expect(isApproval(comment, true)).toBe(true);
  });

  it.each(NOT_YES)('is not agreed to by %j', (comment) => {
    expect(isApproval(comment, true)).toBe(false);
  });

  it('is not agreed to by what is said to somebody else', () => {
    expect(isApproval('@colleague ok', false)).toBe(false);
    expect(isApproval('ok', false)).toBe(true);
  });
});
