import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { TryLater } from '../../../src/lib/errors.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const HOUR = 3_600_000;
const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);
const look = json(['list_directory', { path: '.' }]);
const NEW = '/issuewright new: in verse';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());
afterEach(() => expect(service.model.requests.splice(0).at(-1)?.messages).toHaveLength(1));

type Session = Awaited<ReturnType<Service['start']>>;

/** How the runs began and ended, and what the last one was told. */
async function runsOf(session: Session) {
  const entries = await session.journal();
  const ends = entriesOf(entries, 'run_ended').map(({ end }) => end.kind);
  const read = entriesOf(entries, 'input_read').at(-1)?.text ?? '';
  expect(read).toContain('@maintainer asks you to begin again');
  expect(read).toContain('in verse');
  return { afresh: entriesOf(entries, 'run_started').map((one) => one.afresh === true), ends };
}
const REPLACED = { afresh: [false, true], ends: ['stopped', 'finished'] };

it('a run in progress ends for a new conversation', async () => {
  const session = await service.start('Going on');
  const asked = async () => {
    await session.comment('maintainer', NEW);
    return look;
  };
  service.model.says(asked, finish);
  await session.advance();
  expect(await runsOf(session)).toEqual(REPLACED);
  const [first] = entriesOf(await session.journal(), 'run_ended');
  expect(first?.end).toMatchObject({ reason: 'maintainer asked to begin again.' });
});

it('so does one that was stopped in the same moment', async () => {
  const session = await service.start('Stopped');
  const asked = async () => {
    await session.comment('maintainer', '/issuewright stop');
    await session.comment('maintainer', NEW);
    return look;
  };
  service.model.says(asked, finish);
  await session.advance();
  expect(await runsOf(session)).toEqual(REPLACED);
});

it('so does one that is paused', async () => {
  const session = await service.start('Paused');
  const asked = async () => {
    await session.comment('maintainer', '/issuewright pause');
    return look;
  };
  service.model.says(asked, finish);
  await session.advance();
  await session.comment('maintainer', NEW);
  await session.advance();
  expect(await runsOf(session)).toEqual(REPLACED);
});

it('so does one that waits for its time', async () => {
  const session = await service.start('Deferred');
  service.model.says(new TryLater('rate limit', { retryAfterMs: HOUR }), finish);
  await session.advance();
  await session.comment('maintainer', NEW);
  await session.advance();
  expect(await runsOf(session)).toEqual(REPLACED);
});

it('one that has not begun begins with the new conversation', async () => {
  const session = await service.start('Queued');
  await session.comment('maintainer', NEW);
  service.model.says(finish);
  await session.advance();
  expect(await runsOf(session)).toEqual({ afresh: [true], ends: ['finished'] });
});
