import { afterEach, describe, expect, it } from '@jest/globals';
import { sessionPage } from '../../src/web/pages/session-page.ts';
import { Journal, STRANGER } from '../support/journal.ts';
import * as stories from '../support/stories.ts';
import {
  ask,
  listOf,
  pagesOf,
  SIGNED_IN,
  startPages,
  type TestServer,
  wholeOf,
  partOfEntries,
} from './support.ts';

let server: TestServer | undefined;
const start = async (options: Parameters<typeof startPages>[0] = {}): Promise<TestServer> =>
  (server = await startPages(options));

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const GITHUB = 'https://github.example';
const rendered = (journal: Journal): string =>
  sessionPage('abc', wholeOf(journal.entries), GITHUB).text;
const wordsOf = (page: string): string =>
  page
    .replace(/<(style|script)>.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the pages', () => {
  it('load nothing from anywhere, run no foreign scripts, and cannot be framed', async () => {
    const web = await start({ pages: pagesOf({ abc: stories.wholeStory().entries }) });
    for (const path of ['/sessions', '/sessions/abc', '/sessions/none']) {
      const { headers } = await ask(web.url + path, { headers: SIGNED_IN });
      const policy = headers['content-security-policy'] ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('same-origin');
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  it('are 404 for an unknown session, whatever its name', async () => {
    const web = await start({ pages: pagesOf({}) });
    for (const id of ['none', '__proto__', 'a%2Fb', 'x'.repeat(90), '%3Cscript%3E']) {
      expect((await ask(`${web.url}/sessions/${id}`, { headers: SIGNED_IN })).status).toBe(404);
    }
  });

  it('are not sent again to a page that has them already', async () => {
    const web = await start({ pages: pagesOf({ abc: stories.working().entries }) });
    const first = await ask(`${web.url}/sessions/abc`, { headers: SIGNED_IN });
    const headers = { ...SIGNED_IN, 'if-none-match': first.headers.etag ?? '' };
    const again = await ask(`${web.url}/sessions/abc`, { headers });
    expect(again).toMatchObject({ status: 304, body: '' });
  });

  it.each(['-1', 'x', '1e3', '99999999999', ''])('are sent whole before "%s"', async (before) => {
    const web = await start({ pages: pagesOf({ abc: stories.working().entries }) });
    const { status, body } = await ask(`${web.url}/sessions/abc?before=${before}`, {
      headers: SIGNED_IN,
    });
    expect(status).toBe(200);
    expect(body).toContain('id="entry-1"');
  });

  it('say nothing of the inside when the journal cannot be read', async () => {
    const part = () => Promise.reject(new Error('relation "journal" does not exist'));
    const web = await start({ pages: { ...pagesOf({}), part } });
    const answer = await ask(`${web.url}/sessions/abc`, { headers: SIGNED_IN });
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('relation');
  });

  it('list the sessions by their outcomes, and by their states if these are not known', async () => {
    const summary = {
      id: 'abc',
      repository: { owner: 'example', name: 'greeter' },
      issue: 7,
      title: 'Greet <everybody>',
      state: 'waiting(answer)',
      outcome: '',
      model: 'openai:<model>',
      cost: { dollars: 0.42, isPartial: false },
      createdAt: new Date(Date.now() - 3 * 60 * 60_000),
      updatedAt: new Date('2030-01-15T14:03:00Z'),
      pullRequest: null,
    };
    const merged = { ...summary, title: 'Ours', state: 'done', outcome: 'Merged: #12' };
    const list = async () => listOf([summary, merged]);
    const web = await start({ pages: { ...pagesOf({}), list } });
    const { body } = await ask(`${web.url}/sessions`, { headers: SIGNED_IN });
    expect(body).toContain('href="/sessions/abc"');
    expect(wordsOf(body)).toContain(
      'Greet &lt;everybody&gt; Waiting for an answer example/greeter #7 · openai:&lt;model&gt; $0.42 · opened 3 h ago',
    );
    expect(wordsOf(body)).toContain('Ours Merged: #12 example/greeter #7');
  });
});

describe('a session’s page', () => {
  const publish = (journal: Journal, ...keys: readonly string[]): Journal =>
    keys.reduce(
      (before, key) =>
        before.add({ type: 'published', key, id: 1, url: `https://github.example/#${key}` }),
      journal,
    );

  it('says in one line what was published together', () => {
    const journal = publish(stories.working(), 'status', 'reaction:issue', 'reaction:comment:1');
    const words = wordsOf(rendered(publish(journal.turn({}), 'reply:1:2')));
    expect(words).toContain('Published on GitHub: the status comment , a reaction ×2');
    expect(words.match(/Published on GitHub/g)).toHaveLength(2);
    expect(words).toContain('Published on GitHub: a reply');
  });

  it('shows on an open page what was published after it', () => {
    const journal = publish(stories.working(), 'status');
    const after = journal.entries.length;
    publish(journal, 'question:1');
    const update = sessionPage('abc', wholeOf(journal.entries), GITHUB, { after }).text;
    expect(wordsOf(update)).toContain('the status comment , the question');
  });

  it('leads to each run, also to one on an earlier page', () => {
    const { entries } = stories.wholeStory();
    const [, second = 0, third = 0] = entries
      .filter(({ type }) => type === 'run_started')
      .map(({ seq }) => seq);
    const part = { ...wholeOf(entries), entries: entries.slice(second) };
    const page = sessionPage('abc', part, GITHUB).text;
    expect(page).toContain(`<a href="/sessions/abc?before=${second + 200}#entry-${second}">Run 2`);
    expect(page).toContain(`<a href="#entry-${third}">Run 3</a>`);
    expect(rendered(stories.working())).not.toContain('>Run 1</a>');
  });

  it('has images of people and their comments in HTML as they are seen on GitHub', () => {
    const body = [
      'See ![the page](https://github.com/user-attachments/assets/1a2b) and',
      '<img width="640" alt="more" src="https://user-images.githubusercontent.com/1/2.png">,',
      '![there](https://evil.example/x) `![code](a)` <!-- the steps --> done.',
    ].join('\n');
    const page = rendered(new Journal().comment(body, STRANGER).reject('not_permitted'));
    const words = wordsOf(page);
    expect(words).toContain(
      'See [image: the page] and [image: more], [image: there, https://evil.example/x]',
    );
    expect(words).toContain('![code](a) done. Hidden on GitHub');
    expect(page).toContain('&lt;!-- the steps --&gt;');
  });

  it('has failed calls folded, and says on one line that they failed', () => {
    const page = rendered(stories.wholeStory());
    expect(page).not.toMatch(/<details[^>]* open/);
    expect(wordsOf(page)).toContain('List . · Read src/greet.ts · Read src/name.ts failed List .');
  });

  it('tells the whole story', () => {
    const words = wordsOf(rendered(stories.wholeStory()));
    for (const part of [
      'Working',
      'Now: Search for &quot;greet(&quot;',
      'openai:example-model',
      'All 3 runs 21 s, 6 replies, 31.2k tokens in (24.6k cached), 1.9k out, $0.07',
      'Plan, 3 of 3 done',
      '@octo-maintainer added the label issuewright',
      'on issuewright/issue-7 with openai:example-model',
      'You work on one issue of a repository.',
      'I look at the code first',
      'There is no file &quot;src/name.ts&quot;',
      'Invalid reply: the reply is not a JSON object',
      'Question What should it say when there is no name?',
      'Run 1 ended with a question',
      '@example-visitor commented on the issue rejected',
      'the sender does not have the required role',
      'Commit 9fceb02 Greet people by name modified src/greet.ts',
      'Pull request #12 Greet people by name',
      'Run 2 finished',
      'src/greet.ts:2 A name of spaces greets nobody.',
      'running',
    ]) {
      expect(words).toContain(part);
    }
  });

  it('has every entry of the journal in it', () => {
    const { entries } = stories.wholeStory();
    const page = rendered(stories.wholeStory());
    const elsewhere = new Set(['admitted', 'call_started', 'call_finished']);
    for (const { seq, type } of entries) {
      expect([type, page.includes(`id="entry-${seq}"`)]).toEqual([type, !elsewhere.has(type)]);
    }
  });

  it('links to the repository, the issue and the pull request', () => {
    const page = rendered(stories.submitted());
    expect(page).toContain('href="https://github.example/example/greeter/issues/7"');
    expect(page).toContain('href="https://github.com/example/greeter/pull/12"');
  });

  it.each(Object.entries(stories.IN_EACH_STATE))('is whole in the state %s', (state, story) => {
    const page = rendered(story());
    expect(page).not.toMatch(/undefined|NaN|\[object/);
    const isOver = ['ignored', 'done', 'failed', 'stopped'].includes(state);
    expect(page.includes('<body data-live')).toBe(!isOver);
    expect(page.includes('http-equiv="refresh"')).toBe(!isOver);
  });

  it('is the same for the same journal', () => {
    expect(rendered(stories.wholeStory())).toBe(rendered(stories.wholeStory()));
  });

  it('cuts long texts and keeps them whole under a fold, up to a limit', () => {
    const journal = new Journal().start('Long', 'word '.repeat(2_000)).run();
    const output = 'line\n'.repeat(200_000);
    journal.turn({ calls: [{ tool: 'read_file', result: { output } }] });
    const page = rendered(journal);
    expect(page).toContain('Show all 10k characters');
    expect(page).toContain('Show all 1M characters');
    expect(page.length).toBeLessThan(200_000);
  });
});

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '`"><svg onload=alert(1)>`',
  '</pre></details></li></ol></main><h1>Forged</h1>',
  '${alert(1)}&lt;script&gt;&#x3c;b>',
  'a\u202Eb\u0007c\u200Bd\u0000e',
].join('\n');

/** Every text of every entry is hostile. */
function hostileJournal(): Journal {
  const journal = new Journal({ owner: '"><b>', name: 'javascript:alert(1)' });
  const sender = { login: HOSTILE, id: 1 };
  return journal
    .receive({ kind: 'start', label: HOSTILE, title: HOSTILE, body: HOSTILE }, sender)
    .admit()
    .run({ model: HOSTILE, destination: HOSTILE })
    .notice(HOSTILE, HOSTILE)
    .notice('long', HOSTILE.repeat(9))
    .protocolChanged(HOSTILE)
    .compacted(HOSTILE)
    .workKept({ type: 'finish', outcome: 'done', summary: HOSTILE })
    .turn({
      answer: HOSTILE,
      native: { key: HOSTILE, value: { [HOSTILE]: HOSTILE } },
      calls: [{ tool: HOSTILE, fault: HOSTILE }],
    })
    .turn({ answer: `\`\`\`${HOSTILE}\n\`\`\`\n${HOSTILE}\n\`\`\`` })
    .add({ type: 'published', key: HOSTILE, id: 1, url: 'javascript:alert(1)' })
    .turn({
      thought: HOSTILE,
      calls: [
        {
          tool: HOSTILE,
          title: HOSTILE,
          arguments: { [HOSTILE]: HOSTILE, list: [HOSTILE] },
          result: {
            ok: false,
            output: HOSTILE,
            effects: [
              { type: 'plan', items: [{ id: HOSTILE, title: HOSTILE, done: false }] },
              { type: 'question', text: HOSTILE },
              {
                type: 'commit',
                sha: HOSTILE,
                message: HOSTILE,
                files: [{ path: HOSTILE, status: 'added' }],
              },
              {
                type: 'pull_request',
                number: 1,
                url: ' javascript:alert(1)',
                title: HOSTILE,
                description: HOSTILE,
              },
              { type: 'finish', outcome: 'done', summary: HOSTILE },
            ],
          },
        },
        { tool: 'x', arguments: HOSTILE },
      ],
    })
    .turn({ text: HOSTILE, fault: HOSTILE })
    .comment(HOSTILE, STRANGER)
    .reject('not_permitted')
    .review(HOSTILE)
    .admit([{ path: HOSTILE, line: null, body: HOSTILE }])
    .takeInput()
    .end({ kind: 'failed', reason: HOSTILE });
}

/** An open page puts each part of an answer in the place of the part with its name, or at the end. */
function partsOf(html: string): Map<string, string> {
  const parts = html.split(/(?=<li class="[^"]*" id="entry-)/).slice(1);
  return new Map(parts.map((part) => [/ id="(entry-\d+)"/.exec(part)?.[1] ?? '', part.trim()]));
}
async function itemsOf(entries: Journal['entries'], after?: number): Promise<Map<string, string>> {
  const part = await partOfEntries(entries, after === undefined ? {} : { after });
  const page = sessionPage('abc', part, GITHUB, { after }).text;
  return partsOf(page.slice(0, page.lastIndexOf('</ol>')));
}

describe('an open page that is updated', () => {
  it.each(Object.entries({ ...stories.IN_EACH_STATE, 'the whole story': stories.wholeStory }))(
    'has the same parts in the end as one that is opened then: %s',
    async (_state, story) => {
      const { entries } = story();
      const open = new Map<string, string>();
      for (let seq = 1; seq <= entries.length; seq += 1)
        for (const [id, part] of await itemsOf(entries.slice(0, seq), seq - 1)) open.set(id, part);
      const whole = await itemsOf(entries);
      expect([...open.keys()]).toEqual([...whole.keys()]);
      for (const [id, part] of whole) expect(textOf(open.get(id))).toBe(textOf(part));
    },
  );
});
const textOf = (part = ''): string => wordsOf(part.replace(/<\/ol>[^]*$/, ''));

describe('what people see of a session', () => {
  const pages = [...Object.values(stories.IN_EACH_STATE), stories.wholeStory].map((story) =>
    rendered(story()),
  );

  it('has no state whose class styles anything else', () => {
    const classes = (page: string, pattern: RegExp) =>
      [...page.matchAll(pattern)].flatMap(([, names]) => names?.split(' ') ?? []);
    const badges = new Set(pages.flatMap((page) => classes(page, /class="badge ([^"]*)"/g)));
    expect(badges.size).toBeGreaterThan(5);
    expect([...badges].filter((name) => !/^state-\w+$/.test(name))).toEqual([]);
  });

  it('has no blanks of ours where blanks are shown', () => {
    for (const page of pages) expect(page).not.toMatch(/<pre>[ \n]/);
  });

  it('has none of our keys', () => {
    for (const page of pages)
      expect(wordsOf(page)).not.toMatch(
        /\b(?:question|plan|answer|pull-request|reaction|order|end|rejection|label|wrap-up|plan-first):[\w-]/,
      );
  });

  it.each([
    ['the agent', (thought: string) => stories.working().turn({ thought })],
    ['a person', (text: string) => stories.working().comment(text)],
  ])('has the Markdown of %s rendered', (_who, story) => {
    const text = 'First **this**:\n\n- [x] done\n- [ ] open\n\n```\n**code**\n```';
    expect(rendered(story(text))).toMatch(
      /<strong>this<\/strong>[^]*<li class="task">☑ done<\/li>\s*<li class="task">☐ open<\/li>[^]*<pre>\*\*code\*\*<\/pre>/,
    );
  });
});

describe('hostile text on a session’s page', () => {
  const page = rendered(hostileJournal());

  it('adds no element and no attribute to the page', () => {
    const tags = new Set([...page.matchAll(/<([a-z]\w*)/gi)].map(([, name]) => name));
    expect([...tags].filter((tag) => ['img', 'b'].includes(tag ?? ''))).toEqual([]);
    // Those of our charts.
    expect(page.match(/<svg/g)?.length).toBe(page.match(/<svg\s+viewBox="0 0 600 120"/g)?.length);
    expect(page.match(/<script>/g)).toHaveLength(1);
    expect(page.match(/<h1/g)).toHaveLength(1);
    expect(page).not.toMatch(/<[^>]*\son\w+=/);
  });

  it('makes no link to anything but the web', () => {
    const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, href]) => href ?? '');
    expect(
      links.filter(
        (href) =>
          !/^(https:|\/sessions|#entry-|#main$|\/totals$|\/account$|data:image\/svg)/.test(href),
      ),
    ).toEqual([]);
  });

  it('shows control and bidirectional characters by their number', () => {
    expect(page).toContain('a⟨U+202E⟩b⟨U+0007⟩c⟨U+200B⟩d⟨U+0000⟩e');
    for (const sign of ['\u0000', '\u0007', '\u202E', '\u200B']) expect(page).not.toContain(sign);
  });
});
