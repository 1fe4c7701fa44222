// What people say while a run is ending.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Termination } from '../../../src/lib/errors.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);
const write = json(['write_file', { path: 'half.md', content: 'Half.\n' }]);
const ask = json(['ask_question', { question: 'Which?' }]);

describe('what is said while a run is ending', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  type Session = Awaited<ReturnType<Service['start']>>;

  /** A session in which someone comments during the last request; then the model says the line. */
  async function during(title: string, line: string, said: (session: Session) => Promise<unknown>) {
    const session = await service.start(title);
    service.model.says(async () => {
      await said(session);
      // The lane that publishes judges it, as it does beside every run.
      await session.publish();
      return line;
    });
    return session;
  }
  const inputs = async ({ journal }: Session) =>
    entriesOf(await journal(), 'input_read').map(({ text }) => text);
  const stateOf = async ({ row }: Session) => (await row())?.state;

  it('reaches the model before the work ends, in the same run', async () => {
    const session = await during('Last word', finish, ({ comment }) =>
      comment('maintainer', 'Call it Zebra.'),
    );
    service.model.says(finish);
    await session.advance();
    expect((await inputs(session)).at(-1)).toContain('Call it Zebra.');
    const entries = await session.journal();
    expect(entriesOf(entries, 'run_started')).toHaveLength(1);
    expect(entriesOf(entries, 'call_finished').map(({ ok, output }) => [ok, output])).toEqual([
      [false, expect.stringMatching(/^not run, because people wait: they wrote something new/)],
      [true, expect.stringMatching(/^Finished/)],
    ]);
    expect(await stateOf(session)).toBe('done');
  });

  it('does not hold up the end if it starts nothing', async () => {
    const session = await during('A word from a stranger', finish, ({ comment }) =>
      comment('stranger', 'Me too.'),
    );
    await session.advance();
    const entries = await session.journal();
    expect(entriesOf(entries, 'call_finished').map(({ ok }) => ok)).toEqual([true]);
    expect(entriesOf(entries, 'run_started')).toHaveLength(1);
  });

  it('is answered by name if it asks, before the work ends for everyone', async () => {
    service.repository.collaborators.set('stranger', 'write');
    const session = await during('Two people', finish, ({ comment }) =>
      comment('stranger', '@issuewright Which tabs does it keep?'),
    );
    const reply = json(['reply', { to: '@stranger', text: 'All of them.' }]);
    service.model.says(finish, reply, finish);
    await session.advance();
    service.repository.collaborators.delete('stranger');
    const entries = await session.journal();
    expect(entriesOf(entries, 'call_finished').map(({ output }) => output.slice(0, 60))).toEqual([
      expect.stringContaining('they wrote something new'),
      expect.stringContaining('@stranger asked something'),
      expect.stringContaining('Noted for @stranger'),
      expect.stringContaining('Finished'),
    ]);
  });

  it('answers no question that the reply asks', async () => {
    const session = await during('Early word', ask, ({ comment }) =>
      comment('maintainer', 'CI is slow today.'),
    );
    await session.advance();
    expect(await stateOf(session)).toBe('waiting(answer)');
    await session.comment('maintainer', 'The first.');
    service.model.says(finish);
    await session.advance();
    expect((await inputs(session)).at(-1)).toMatch(/CI is slow today\.[^]*The first\./);
  });

  it('is not for the run that a stop is ending', async () => {
    const session = await service.start('Stop in a call');
    const signal = new AbortController();
    const commit = json(['commit', { message: 'Half' }]);
    service.model.says(write, commit, json(['create_pull_request', { title: 'Half', body: 'x' }]));
    const call = service.github.faults.hold({ path: /\/pulls$/ });
    const running = session.advance({}, signal);
    await call.applied;
    await session.comment('maintainer', '/issuewright stop');
    await session.publish();
    signal.abort(new Termination('maintainer asked to stop.'));
    await session.comment('maintainer', '@issuewright use tabs instead');
    await session.publish();
    call.release();
    await running;
    service.model.says(finish);
    await session.advance();
    expect((await inputs(session)).at(-1)).toContain('use tabs instead');
    expect(entriesOf(await session.journal(), 'run_ended').map(({ end }) => end.kind)).toEqual([
      'stopped',
      'finished',
    ]);
  });

  it('begins no run whose end was signalled before, and one with the next wake-up', async () => {
    const session = await service.start('Judged together');
    const signal = new AbortController();
    signal.abort(new Termination('maintainer asked to stop.'));
    await session.advance({}, signal);
    expect(entriesOf(await session.journal(), 'run_started')).toEqual([]);
    service.model.says(finish);
    await session.advance();
    expect(await stateOf(session)).toBe('done');
  });

  it('is processed after a stop, although the stopped run has not ended yet', async () => {
    const session = await service.start('Stop and go');
    service.model.says(write, async () => {
      await session.comment('maintainer', '/issuewright stop');
      return write;
    });
    const push = service.github.faults.hold({ path: /git\/refs$/ });
    const running = session.advance();
    await push.applied;
    await session.comment('maintainer', '@issuewright use tabs instead');
    await session.publish();
    service.model.says(finish);
    push.release();
    await running;
    expect((await inputs(session)).at(-1)).toContain('use tabs instead');
    expect(entriesOf(await session.journal(), 'run_ended').map(({ end }) => end.kind)).toEqual([
      'stopped',
      'finished',
    ]);
  });
});
