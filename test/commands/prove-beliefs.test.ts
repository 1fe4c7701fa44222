import { describe, expect, it } from '@jest/globals';
import type { Behaviour } from '../../packages/local-github/src/github/behaviours/behaviour.ts';
import { BEHAVIOURS } from '../../packages/local-github/src/github/behaviours/index.ts';
import {
  FALSIFIABLE,
  type FalsifiableId,
} from '../../packages/local-github/src/github/behaviours/rules.ts';
import { BELIEFS } from '../../src/commands/prove/beliefs/index.ts';
import { reportOf, withoutNames } from '../../src/commands/prove/run-proof.ts';
import { STORY } from '../../src/commands/prove/story.ts';

const ALL = [...BELIEFS, ...STORY];
const IDS = ALL.map(({ id }) => id);

/** Rules of the local GitHub that a proof does not ask about, and why. */
const NOT_ASKED: Partial<Record<FalsifiableId, string>> = {
  'base-deleted':
    'it would need a third branch, and the service asks GitHub for the base each time',
  'check-run-buttons': 'a person has to press one in a browser',
  'closing-keywords': 'the service closes no issue and does not rely on it',
  'mergeable-unknown-at-first': 'GitHub may know it at once; a belief asks that it is known soon',
  'review-events': 'the story has such a review',
};

describe('the beliefs of a proof', () => {
  it('have ids of their own, in small letters', () => {
    expect(new Set(IDS).size).toBe(IDS.length);
    expect(IDS.filter((id) => !/^[a-z][a-z-]+$/.test(id))).toEqual([]);
  });

  it('name their source, or say that they are unproven', () => {
    const source = /^(?:https:\/\/\S+|[\w.-]+\/[\w.-]+#\d+|docs\/\S+\.md(?:#\S+)?|unproven)$/;
    expect(ALL.filter((one) => !source.test(one.source)).map(({ id }) => id)).toEqual([]);
  });

  it('include each rule that can be turned wrong in the local GitHub, but for those named here', () => {
    const asked = FALSIFIABLE.filter((id) => IDS.includes(id));
    expect(FALSIFIABLE.filter((id) => !asked.includes(id))).toEqual(Object.keys(NOT_ASKED));
  });

  it('are as proven as the row of the table that has the same id', () => {
    const rows = new Map<string, Behaviour>(Object.entries(BEHAVIOURS));
    const others = BELIEFS.filter(({ id, source }) => {
      const row = rows.get(id);
      return row !== undefined && (row.standing === 'unproven') !== (source === 'unproven');
    });
    expect(others.map(({ id }) => id)).toEqual([]);
  });
});

describe('the report of a proof', () => {
  it('replaces names as whole words, the longest first, in any case', () => {
    const names = new Map([
      ['acme', 'OWNER'],
      ['acme-tools', 'REPOSITORY'],
      ['wright', 'APP'],
    ]);
    expect(withoutNames('GET /repos/Acme/acme-tools by wright[bot] of acmeists', names)).toBe(
      'GET /repos/OWNER/REPOSITORY by APP[bot] of acmeists',
    );
  });

  it('has no secret of what GitHub said', () => {
    const [belief] = BELIEFS;
    if (belief === undefined) throw new Error('there are no beliefs');
    const why = 'GitHub refused ghs_1 of acme\u202e';
    const report = reportOf({
      verdicts: [{ belief, state: 'wrong', why, answer: undefined }],
      about: ['github.com'],
      names: new Map([['acme', 'OWNER']]),
      redact: (text) => text.replaceAll('ghs_1', '[redacted]'),
    });
    expect(report).toContain(String.raw`  - GitHub refused [redacted] of OWNER\u202e`);
  });
});
