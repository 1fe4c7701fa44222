import { describe, expect, it } from '@jest/globals';
import type { NewEntry } from '../../src/session/entry.ts';
import { sessionPage } from '../../src/web/pages/session-page.ts';
import { Journal } from '../support/journal.ts';
import * as stories from '../support/stories.ts';
import { expectLinear } from '../support/growth.ts';
import { wholeOf } from './support.ts';

const rendered = (journal: Journal): string =>
  sessionPage('abc', wholeOf(journal.entries), 'https://github.example').text;
const wordsOf = (page: string): string =>
  page
    .replace(/<(style|script)>.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
const wordsFor = (journal: Journal): string => wordsOf(rendered(journal));

/** What the page shows of entries of one type. */
function itemsOf(journal: Journal, type: NewEntry['type']): string[] {
  const page = rendered(journal);
  return journal.entries
    .filter((entry) => entry.type === type)
    .map(({ seq }) => wordsOf(page.split(`id="entry-${seq}"`)[1]?.split('<li class=')[0] ?? ''));
}

describe('what a session’s page shows of a run', () => {
  it('is how it was prepared, and who receives the code', () => {
    const [prepared] = itemsOf(stories.detours(), 'run_prepared');
    expect(prepared).toContain('with native tool calling, until it finishes');
    expect(prepared).toContain(
      'Code, comments, tool results and command output are sent to OpenAI (api.openai.com).',
    );
    const single = itemsOf(stories.onePlan(), 'run_prepared')[0];
    expect(single).toContain('with JSON tool calls, for one reply and its tool calls');
  });

  it('is what of the settings it does not follow', () => {
    const journal = new Journal()
      .start()
      .run({ warnings: ['`a.yml`, line 2: `<b>` is not a setting'] });
    const [prepared] = itemsOf(journal, 'run_prepared');
    expect(prepared).toContain('Some settings have no effect.');
    expect(prepared).toContain('line 2: &lt;b&gt; is not a setting');
  });

  it('is the image that its commands run in, and what it cost to have it here', () => {
    const image = { name: 'ghcr.io/acme/tools', digest: `sha256:${'0123456789ab'.repeat(5)}cdef` };
    const [prepared] = itemsOf(
      new Journal().start().run({ image: { ...image, seconds: 42 } }),
      'run_prepared',
    );
    expect(prepared).toMatch(
      /Commands run in the sandbox\. Their programs are those of the image ghcr\.io\/acme\/tools \( sha256:0123456789ab \), fetched and unpacked in 42 s\./,
    );
  });

  it('is how much the model thinks, and whose run it continues', () => {
    const fallback = { from: 'a:b', since: '2030-01-15T14:00:00.000Z', reason: 'It is <down>.' };
    const [prepared] = itemsOf(
      new Journal().start().run({ effort: 'high', fallback }),
      'run_prepared',
    );
    expect(prepared).toContain(', effort high; code and comments go to');
    expect(prepared).toContain('It continues for a:b : It is &lt;down&gt;.');
  });

  it('is what the service told the model, folded if it is long', () => {
    const [folder, limits] = itemsOf(stories.detours(), 'notice');
    expect(folder).toContain('instructions in packages/web/AGENTS.md Full text For the web.');
    expect(limits).toMatch(
      /the limits of the run are near \(82 % of the limit of 50 model replies per run is used\.\)/,
    );
    expect(limits).not.toContain('Full text');
  });

  it('is a change of protocol, with its reason and the new instructions', () => {
    const [changed] = itemsOf(stories.detours(), 'protocol_changed');
    expect(changed).toContain('Switched to JSON tool calls.');
    expect(changed).toContain(
      'The model server does not support tools for this model. Full instructions',
    );
  });

  it('is a summary with its price, or that older messages were dropped', () => {
    const [summarised, dropped] = itemsOf(stories.detours(), 'compacted');
    expect(summarised).toContain('4.1 s · 5.2k in (4.1k cached), 310 out · $0.01');
    expect(summarised).toContain('Summary ## Goal Greet people by name.');
    expect(dropped).toContain('Older messages dropped up to entry');
  });

  it('is what a model found in the change, or why it could not review it', () => {
    const found = stories.selfReviewed([
      { path: 'src/greet.ts', line: 3, text: 'It greets nobody.' },
    ]);
    const failed = stories.selfReviewed([], 'The API key is invalid.');
    const shown = itemsOf(stories.working().effect(found).effect(failed), 'reply').join(' ');
    expect(shown).toMatch(/Reviewed .*src\/greet\.ts:3.*It greets nobody.*900 in, 40 out/s);
    expect(shown).toContain('No model reviewed it. The API key is invalid.');
  });

  it('is what the agent did beyond files: choices, a branch, questions, comments, requests', () => {
    const journal = stories
      .working()
      .effect({ type: 'staged', paths: ['a.txt'] })
      .effect({ type: 'staged', paths: null })
      .effect({ type: 'branch', suffix: 'by-name' })
      .effect({ type: 'comment', issue: 3, url: 'https://github.example/c/3' })
      .effect({ type: 'review_requested', pullRequest: 12, reviewers: ['octo-maintainer'] })
      .effect({
        type: 'question',
        text: '',
        items: [{ text: 'Which?', proposedAnswer: 'This one.' }, { text: 'When?' }],
      });
    expect(itemsOf(journal, 'reply').join(' ')).toMatch(
      /includes 1 file .*includes all changes .*Branch named by-name .*Comment on #3 .*Review requested from octo-maintainer .*Question Which\? Proposed: This one\. When\?/s,
    );
  });

  it('is what was saved at a limit', () => {
    const [kept] = itemsOf(stories.detours(), 'work_saved');
    expect(kept).toContain('Uncommitted work saved Commit 9fceb02 Greet people by name');
  });

  it('is whole, with every entry in its place', () => {
    const page = rendered(stories.detours());
    expect(page).not.toMatch(/undefined|NaN|\[object/);
    for (const { seq, type } of stories.detours().entries) {
      const inReply = ['admitted', 'call_started', 'call_finished'].includes(type);
      expect([type, page.includes(`id="entry-${seq}"`)]).toEqual([type, !inReply]);
    }
  });
});

describe('what a session’s page shows of a reply', () => {
  it('is its price, and which part of it was reasoning', () => {
    const [first, second] = itemsOf(stories.detours(), 'reply');
    expect(first).toContain(
      '2.3 s · 5.2k in (4.1k cached), 310 out (240 of them reasoning) · $0.01',
    );
    expect(second).toContain('What the model saw before reply 2 Cut at the output limit.');
  });

  it('is what was done by a call that was journaled only then', () => {
    const journal = new Journal().start().run();
    journal.turn({ calls: [{ tool: 'write_file', fault: '' }] });
    const entries = journal.entries.map((entry) =>
      entry.type === 'call_finished' ? { ...entry, ok: true, title: 'Write a.ts' } : entry,
    );
    const { text } = sessionPage('abc', wholeOf(entries), 'https://github.example');
    expect(wordsOf(text)).toContain('Write a.ts write_file ok');
  });

  it('is what a call puts out while it runs, and afterwards that, folded', () => {
    const journal = new Journal()
      .start()
      .run()
      .turn({ calls: [{ tool: 'run_tests' }] });
    const reply = journal.entries.findLast(({ type }) => type === 'reply')?.seq ?? 0;
    const says = (text: string) => journal.add({ type: 'call_output', reply, index: 0, text });
    says('ok 1 - <b>\n');
    says('ok 2\n');
    expect(rendered(journal)).toContain('<pre class="live">ok 1 - &lt;b&gt;\nok 2\n</pre>');
    journal.add({ type: 'run_resumed', run: 1 });
    says('ok 1 again\n');
    expect(wordsFor(journal)).toContain('ok 2 … interrupted and restarted: ok 1 again');
    const done = { ok: true, output: 'Exit code 0.', effects: [], halt: null };
    journal.add({ type: 'call_finished', reply, index: 0, ...done });
    expect(rendered(journal)).not.toContain('class="live"');
    expect(wordsFor(journal)).toContain('Exit code 0. Live output ok 1');
  });

  it('is what its commands did, as observed', () => {
    const ran = { exitCode: 1, ended: 'exited', durationMs: 2300 } as const;
    const used = {
      type: 'dependencies',
      paths: ['node_modules'],
      isAll: true,
      durationMs: 1500,
    } as const;
    const facts = { failed: 2, passed: 5, isPartial: true, onChanges: false };
    const journal = stories
      .working()
      .effect({ type: 'setup', command: 'npm ci', ...ran, output: 'no <lock>' })
      .effect({ ...used, cache: 'found' })
      .effect({ ...used, cache: 'kept', isAll: false })
      .effect({ ...used, cache: 'unused', reason: 'yarn.lock cannot be read' })
      .effect({ type: 'tests', command: 'npm test', ...ran, ...facts })
      .effect({ type: 'command', command: 'make', ...ran, exitCode: null, ended: 'memory' })
      .effect({ type: 'disallowed_hosts', hosts: ['registry.example.com:443'] });
    const words = wordsFor(journal);
    expect(words).toMatch(/Setup npm ci exit code 1, 2\.3 s no &lt;lock&gt;/);
    expect(words).toContain(
      'Tests exit code 1, 2 failed, 5 passed, only some of the tests, before the changes',
    );
    expect(words).toContain(
      'Dependencies node_modules: from the cache, in 1.5 s; setup did not run again.',
    );
    expect(words).toContain('kept for later sessions, in 1.5 s; setup ran as well.');
    expect(words).toContain('Dependencies not from the cache: yarn.lock cannot be read.');
    expect(words).toContain('command 0.2 s killed: memory limit exceeded');
    expect(words).toContain('Network access not allowed registry.example.com:443');
  });

  it('is stopped by the safety filter', () => {
    const journal = new Journal().start().run().turn({ stop: 'filtered', fault: 'it was stopped' });
    expect(itemsOf(journal, 'reply')[0]).toContain('Stopped by the provider&#39;s safety filter.');
  });

  it('is its wire items if they are small, otherwise only their size', () => {
    const [small, , large] = itemsOf(stories.detours(), 'reply');
    expect(small).toContain('Provider items For openai example-model [ { &quot;type&quot;');
    expect(large).toContain('Provider items: 30k characters, not shown');
  });

  it('is shown once if it is all that the model wrote', () => {
    const [first] = itemsOf(stories.detours(), 'reply');
    expect(first?.match(/I look at the code/g)).toHaveLength(1);
    expect(first).not.toContain('Raw reply');
  });

  it('is a call with unreadable arguments', () => {
    expect(itemsOf(stories.detours(), 'reply')[0]).toContain('The arguments are no JSON object.');
  });

  it('is its answer, and the call that was made for it without saying it again', () => {
    const last = itemsOf(stories.detours(), 'reply').at(-1);
    expect(last).toContain('Answer The greeting has the name now. Finish finish');
    expect(last).toContain('Added by the service for the answer above. Result Finished. Finished');
    expect(last?.match(/The greeting has/g)).toHaveLength(1);
  });

  it('is the fenced code of an answer as code', () => {
    const page = rendered(stories.answered());
    expect(page).toContain(
      '<pre>export const greet = &lt;T&gt;(name: T) =&gt; `Hello, ${name}!`;</pre>',
    );
    expect(wordsFor(stories.answered())).not.toContain('```');
    expect(wordsFor(stories.answered())).toContain('Run 1 ended with an answer');
  });
});

describe('the head of a session’s page', () => {
  it('says what it cost and who received the code', () => {
    const words = wordsFor(stories.detours());
    expect(words).toContain(
      'Code, comments, tool results and command output sent to Anthropic (api.anthropic.com) (earlier: OpenAI (api.openai.com))',
    );
    expect(words).toContain('(240 of them reasoning), at least $0.05 (some prices are unknown)');
    expect(wordsFor(stories.queued())).toContain('Work – ');
  });

  it('is live after an answer, because the conversation may continue', () => {
    expect(rendered(stories.answered())).toContain('<body data-live');
    const closed = stories.answered().receive({ kind: 'issue_closed', at: '' });
    expect(rendered(closed)).not.toContain('<body data-live');
  });

  it('says why a run is deferred, and not that it does something now', () => {
    const words = wordsFor(stories.deferred());
    expect(words).toContain('Waiting until 16 Jan 2030, 00:00 UTC');
    expect(words).not.toContain('Now: ');
  });
});

describe('long and open fences', () => {
  it('cost no more time than their length', () => {
    expectLinear((fences) => {
      const answer = '```js\n'.repeat(fences);
      rendered(stories.answered().comment('More').admit().run().answered(answer));
    }, 262_144);
  });
});
