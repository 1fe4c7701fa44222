import { afterEach, describe, expect, it } from '@jest/globals';
import type { Entry } from '../../src/session/entry.ts';
import type { JournalRange } from '../../src/web/session-source.ts';
import type { Journal } from '../support/journal.ts';
import * as stories from '../support/stories.ts';
import { ask, pagesOf, partOfEntries, SIGNED_IN, startPages, type TestServer } from './support.ts';

const TURNS = 600;

/** Turns with one call each, and a word of a person now and then. */
function long(turns: number): Journal {
  const journal = stories.working();
  for (let turn = 1; turn <= turns; turn += 1) {
    journal.turn({ thought: `Step ${turn}.`, calls: [{ tool: 'note', result: {} }] });
    if (turn % 100 === 0) journal.comment(`Word ${turn}.`).admit();
  }
  return journal;
}

const idsIn = (body: string): number[] =>
  [...body.matchAll(/<li class="[^"]*" id="entry-(\d+)"/g)].map(([, id]) => Number(id));

let web: TestServer | undefined;
afterEach(() => web?.close());

describe('the pages of a long journal', () => {
  it('have together each entry once, with the calls of each reply beside it', async () => {
    const { entries } = long(TURNS);
    web = await startPages({ pages: pagesOf({ abc: entries }) });
    const bodies: string[] = [];
    for (let address: string | undefined = '/sessions/abc'; address !== undefined;) {
      const { body } = await ask(`${web.url}${address}`, { headers: SIGNED_IN });
      bodies.unshift(body);
      address = /href="([^"]*\?before=\d+)"/.exec(body)?.[1];
    }
    expect(bodies.length).toBeGreaterThan(3);
    const shown = bodies.flatMap(idsIn);
    const inReply = new Set(['call_started', 'call_finished', 'admitted']);
    const expected = entries.filter(({ type }) => !inReply.has(type)).map(({ seq }) => seq);
    expect(shown).toEqual(expected);
    const replies = bodies.flatMap((body) => [...body.matchAll(/>Reply (\d+)</g)]);
    expect(replies.map(([, number]) => Number(number))).toEqual(
      Array.from({ length: TURNS + 1 }, (_, at) => at + 1),
    );
    expect(bodies.join('').match(/Done\./g)).toHaveLength(TURNS + 1);
    for (const body of bodies.slice(0, -1)) expect(body).not.toContain('<body data-live');
    expect(bodies.at(-1)).toContain('<body data-live');
  });

  it('read what is new for an update, and not what is old', async () => {
    const read: number[] = [];
    for (const turns of [50, 3_050]) {
      const { entries } = long(turns);
      const counted: Entry[] = [];
      const part = (range: JournalRange) => partOfEntries(entries, range, counted);
      await part({ after: entries.length - 2 });
      read.push(counted.length);
      expect((await part({})).entries.length).toBeLessThan(500);
    }
    expect(read[1]).toBe(read[0]);
    expect(read[0]).toBeLessThan(10);
  });
});
