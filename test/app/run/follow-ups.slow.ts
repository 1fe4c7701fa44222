import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const ask = json(['ask_question', { questions: [{ question: 'Which name?', default: 'notes' }] }]);
const write = json(['write_file', { path: 'notes.md', content: 'Notes.\n' }]);
const finish = json(['finish', { summary: 'Notes are there.' }]);

/** A session that asked; then a person answered, and the run after that went as far as it does. */
async function followedUp(service: Service) {
  const session = await service.start('Write notes');
  await session.advance();
  await session.comment('maintainer', 'Call it notes.');
  await session.advance();
  return session.journal();
}

describe('what a person says after a run', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  it('is worked on with the same tools and the same instructions, not just answered', async () => {
    const { requests, says } = service.model;
    says(ask, write, finish);
    const entries = await followedUp(service);
    const [first, ...later] = requests.splice(0);
    expect(later).toHaveLength(2);
    for (const tool of ['write_file', 'commit', 'finish']) expect(first?.system).toContain(tool);
    for (const { system, tools } of later) {
      expect(system).toBe(first?.system);
      expect(tools).toEqual(first?.tools);
    }
    expect(entriesOf(entries, 'run_prepared').map(({ mode }) => mode)).toEqual(['agent', 'agent']);
    expect(entriesOf(entries, 'run_ended').map(({ end }) => end.kind)).toEqual([
      'asked',
      'finished',
    ]);
  });
});

describe('a run that goes one step at a time', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({ '.github/issuewright.yml': 'mode: single\n' });
  });
  afterAll(() => service.close());

  it('so does the one after it', async () => {
    const { requests, says } = service.model;
    says(ask, write);
    const entries = await followedUp(service);
    expect(requests).toHaveLength(2);
    const prepared = entriesOf(entries, 'run_prepared').map(({ mode }) => mode);
    expect(prepared).toEqual(['single', 'single']);
    expect(entriesOf(entries, 'call_finished').at(-1)).toMatchObject({ ok: true });
  });
});
