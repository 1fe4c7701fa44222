import { describe, expect, it } from '@jest/globals';
import type { Effect } from '../../src/contracts/effect.ts';
import { sessionPage } from '../../src/web/pages/session-page.ts';
import { MOST_POINTS } from '../../src/session/parts/session-counts.ts';
import { Journal } from '../support/journal.ts';
import * as stories from '../support/stories.ts';
import { wholeOf } from './support.ts';

const pageOf = (journal: Journal): string =>
  sessionPage('abc', wholeOf(journal.entries), 'https://github.example').text;
const wordsOf = (page: string): string => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
const begun = (): Journal => new Journal().start().run({ limits: stories.LIMITS });

describe('what a session has used', () => {
  it('is drawn over the time of its work, with words for those who do not see it', () => {
    const journal = begun();
    for (let turn = 0; turn < 9; turn += 1) journal.turn({ cost: 0.25 });
    const page = pageOf(journal);
    expect(page).toMatch(/role="img"\s+aria-label="Cost over [\d.]+ s of work, up to \$2\.25"/);
    expect(page).toMatch(/aria-label="Tokens over [\d.]+ s of work, up to 49\.6k"/);
    const [, line = ''] = /<path\s+d="M0 120([^"]*)V120"/.exec(page) ?? [];
    const heights = [...line.matchAll(/L\d+ (\d+)/g)].map(([, height]) => Number(height));
    expect(heights).toHaveLength(9);
    expect(heights).toEqual(heights.toSorted((one, other) => other - one));
    expect(wordsOf(page)).toMatch(/Work Tokens Cost .* 49\.6k \$2\.25/);
  });

  it('has as many points in a long session as in any other, up to the last reply', () => {
    const journal = begun();
    for (let turn = 0; turn < 700; turn += 1) journal.turn({ cost: 0.01, thought: 'x' });
    const { course, cost, usage } = journal.session.spending;
    expect(course.length).toBeLessThanOrEqual(MOST_POINTS);
    expect(course.length).toBeGreaterThan(MOST_POINTS / 3);
    const { tokens, dollars, workedMs } = course.at(-1)!;
    // The last reply, or the one before it.
    expect(cost.dollars - dollars).toBeLessThan(0.011);
    expect(usage.input + usage.output - tokens).toBeLessThan(6_000);
    expect(workedMs).toBeGreaterThan(600_000);
    expect(pageOf(journal)).not.toMatch(/NaN|Infinity/);
  });

  it('is shown as tokens alone while no price is known', () => {
    const page = pageOf(begun().turn({ cost: null }));
    expect(page).not.toContain('aria-label="Cost over');
    expect(page).toContain('aria-label="Tokens over');
  });

  it('shows no amount of money while no price is known, in no table and beside no limit', () => {
    const words = wordsOf(pageOf(begun().turn({ cost: null })));
    expect(words).not.toContain('$0.00');
    expect(words).toMatch(/Work Tokens Cost .* price unknown/);
    expect(words).toContain('price unknown of $2.00');
  });

  it('is nothing before the first reply', () => {
    expect(pageOf(stories.queued())).toMatch(
      /<section class="used" id="used" data-part>\s*<\/section>/,
    );
  });

  it('is shown beside the limits of the run, as bars that have names and words', () => {
    const page = pageOf(begun().turn({ cost: 1.7 }).turn({ cost: 1.7 }));
    const words = wordsOf(page);
    for (const limit of [
      'Replies 2 of 50',
      'of 60 minutes',
      '11k of 2M',
      '$3.40 of $2.00',
      '$3.40 of $10.00',
    ])
      expect(words).toContain(limit);
    expect(page).toMatch(
      /<label for="limit-dollars">Cost of the run<\/label>\s*<meter\s+id="limit-dollars"\s+min="0"\s+max="2"\s+high="1.6"\s+optimum="0"\s+value="2"/,
    );
    expect(page.match(/<meter/g)).toHaveLength(5);
    expect(pageOf(new Journal().start().run().turn({}))).not.toContain('<meter');
  });
});

const tests = (onChanges: boolean, failed: number, passed: number, isPartial = false): Effect => ({
  type: 'tests',
  command: 'npm test',
  exitCode: failed === 0 ? 0 : 1,
  ended: 'exited',
  durationMs: 900,
  failed,
  passed,
  isPartial,
  onChanges,
});

describe('what else a session’s page says', () => {
  it('is how the tests went before the changes, and with them', () => {
    const journal = stories
      .working()
      .effect(tests(false, 1, 4))
      .effect(tests(true, 2, 3));
    expect(wordsOf(pageOf(journal))).toContain(
      'Tests before the changes: 1 failed, 4 passed; with them: 2 failed, 3 passed',
    );
    journal.effect(tests(true, 0, 6)).effect(tests(true, 0, 1, true));
    expect(wordsOf(pageOf(journal))).toContain('with them: 0 failed, 6 passed');
    expect(wordsOf(pageOf(stories.working()))).not.toContain('before the changes:');
  });

  it('colours the lines of what people judge: changes of workflow files, and patches', () => {
    const lines = '--- a/x.yml\n+++ b/x.yml\n@@ -1,2 +1,2 @@\n on: push\n-run: test\n+run: <b>\n';
    const coloured = [
      '<div class="hunk">@@ -1,2 +1,2 @@</div>',
      '<div class="same"> on: push</div>',
      '<div class="removed">-run: test</div>',
      '<div class="added">+run: &lt;b&gt;</div>',
    ].join('');
    const files = [{ path: 'x.yml', status: 'modified' }] as const;
    const effects: readonly Effect[] = [
      { type: 'workflow_change', digest: '1', files, diff: lines },
      { type: 'patch', base: 'f'.repeat(40), summary: '', files, text: lines },
    ];
    for (const effect of effects) {
      const page = pageOf(stories.working().effect(effect));
      expect([effect.type, page]).toEqual([effect.type, expect.stringContaining(coloured)]);
      expect(page).not.toContain('<pre>--- a/x.yml');
    }
  });

  it('leads from commits and review threads to GitHub, and from each step to what the model saw', () => {
    const journal = stories.submitted();
    journal.protocolChanged('No tools.').add({ type: 'images_dropped', reason: 'Too many.' });
    const page = pageOf(journal);
    const repository = 'https://github.example/example/greeter';
    expect(page).toContain(`href="${repository}/commit/9fceb02d0ae598e95dc970b74767f19372d61af8"`);
    const types = ['reply', 'input_read', 'run_prepared', 'protocol_changed', 'images_dropped'];
    const shown = journal.entries.filter(({ type }) => types.includes(type));
    expect(new Set(shown.map(({ type }) => type)).size).toBe(types.length);
    for (const { seq } of shown) expect(page).toContain(`href="/sessions/abc/prompt/${seq}"`);
    const call = journal.entries.find((entry) => entry.type === 'call_finished');
    expect(page).toMatch(
      new RegExp(
        `href="/sessions/abc/prompt/${call?.reply}"\\s*>What the model saw<span class="unseen">\\s+before call 1`,
      ),
    );
  });
});
