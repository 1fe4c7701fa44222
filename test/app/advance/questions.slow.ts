import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WaitEnded } from '../../../src/github/errors.ts';
import { TryLater } from '../../../src/lib/errors.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const MINUTE = 60_000;
/** A step may take this long on a slow machine. */
const SLACK = 30_000;
const LABEL = 'issuewright:question';
const TWO = json([
  'ask_question',
  {
    questions: [{ question: 'Which colour?', default: 'Green.' }, { question: 'Which size?' }],
  },
]);
const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);

type Session = Awaited<ReturnType<Service['start']>>;

/** Questions that wait on the issue of a session. */
async function asked(service: Service, title: string): Promise<Session> {
  service.model.says(TWO);
  const session = await service.start(title);
  await session.advance();
  await session.publish();
  return session;
}

const stateOf = async ({ row }: Session) => (await row())?.state;
const lastInput = async ({ journal }: Session): Promise<string> =>
  entriesOf(await journal(), 'input_read').at(-1)?.text ?? '';

async function labelsOf(service: Service, { row }: Session): Promise<readonly string[]> {
  const number = (await row())?.issue;
  const issue = service.repository.issues.find((one) => one.number === number);
  return issue?.labels.map(({ name }) => name) ?? [];
}

describe('questions', () => {
  let service: Service;
  /** What happens when the service looks for what GitHub could not deliver before this time. */
  let look: (at: Date, signal: AbortSignal) => Promise<unknown>;
  beforeAll(async () => {
    const files = { '.github/issuewright.yml': 'question_timeout: 30m\n' };
    const receiveEventsBefore = async (at: Date, signal: AbortSignal) =>
      void (await look(at, signal));
    service = await openService(files, { receiveEventsBefore });
  });
  beforeEach(() => {
    look = () => Promise.resolve();
    // The database, which dates the entries, has another clock.
    service.resetClock();
  });
  afterAll(() => service.close());

  it('carry a label while they are open, and say until when they wait', async () => {
    const session = await asked(service, 'Label');
    expect(await labelsOf(service, session)).toContain(LABEL);
    const [comment] = service.repository.comments.filter(({ body }) => body.includes(':question:'));
    expect(comment?.body).toMatch(
      /@maintainer I have 2 questions[^]*\*\*1\.\*\* [^]*Without a reply by \d+ \w{3} \d{4}, \d\d:\d\d UTC, I continue as proposed, and decide the rest myself\./,
    );
    await session.comment('maintainer', '1. Red');
    service.model.says(finish);
    await session.advance();
    await session.publish();
    expect(await labelsOf(service, session)).not.toContain(LABEL);
  });

  it('that someone deleted are asked again once someone asks for the status', async () => {
    const session = await asked(service, 'Deleted');
    const { github, repository } = service;
    const questions = () =>
      repository.comments.filter(
        ({ body, issueNumber }) => body.includes(':question:') && issueNumber === issue,
      );
    const issue = (await session.row())?.issue;
    const [deleted] = questions();
    github.as('maintainer').deleteComment(repository, deleted?.id ?? 0);
    await session.comment('maintainer', '/issuewright status');
    await session.advance();
    await session.publish();
    const [again] = questions();
    expect(again?.body).toBe(deleted?.body);
    await session.publish();
    const status = repository.comments.find(
      ({ body, issueNumber }) => body.includes(':status -->') && issueNumber === issue,
    );
    expect(status?.body).toContain(`#issuecomment-${again?.id}`);
    expect(questions()).toHaveLength(1);
  });

  it('that are answered in part are repeated, with their numbers and defaults', async () => {
    const session = await asked(service, 'In part');
    await session.comment('maintainer', '1. Red');
    service.model.says(finish);
    await session.advance();
    const text = await lastInput(session);
    expect(text).toMatch(/> 1\. Red/);
    expect(text).toContain(
      '1. Which colour?\n   Default: Green.\n2. Which size?\n   Default: none',
    );
    expect(text).toContain('An unanswered question takes its default');
  });

  it('continue with the defaults once their time is over, and not before', async () => {
    const session = await asked(service, 'Too late');
    const due = (await session.row())?.wakeAt;
    expect(Number(due) - Date.now()).toBeGreaterThan(28 * MINUTE);
    service.letPass(15 * MINUTE);
    await session.advance();
    expect(await stateOf(session)).toBe('waiting(answer)');
    service.letPass(15 * MINUTE);
    service.model.says(finish);
    await Promise.all([session.advance(), session.advance()]);
    expect(await stateOf(session)).toBe('done');
    const entries = await session.journal();
    expect(entriesOf(entries, 'question_expired')).toMatchObject([{ action: 'defaults' }]);
    expect(await lastInput(session)).toMatch(/^\(No one answered your questions in time/);
  });

  it('are answered by what GitHub could not deliver before their time was over', async () => {
    const session = await asked(service, 'Undelivered');
    const due = (await session.row())?.wakeAt;
    const looks: Date[] = [];
    look = async (at) => {
      looks.push(at);
      await session.comment('maintainer', '1. Red');
    };
    service.letPass(31 * MINUTE);
    service.model.says(finish);
    await session.advance();
    expect(looks).toEqual([due]);
    expect(await stateOf(session)).toBe('done');
    expect(entriesOf(await session.journal(), 'question_expired')).toEqual([]);
    expect(await lastInput(session)).toMatch(/> 1\. Red/);
  });

  it('do not expire before it is known what GitHub could not deliver', async () => {
    const session = await asked(service, 'Unknown');
    look = () => Promise.reject(new TryLater('GitHub does not answer'));
    service.letPass(31 * MINUTE);
    await session.advance();
    expect(await stateOf(session)).toBe('waiting(answer)');
    expect(Number((await session.row())?.wakeAt)).toBeGreaterThan(Date.now());
    look = () => session.comment('maintainer', '/issuewright stop');
    service.letPass(MINUTE);
    await session.advance();
    expect(await stateOf(session)).toBe('stopped');
    expect(entriesOf(await session.journal(), 'question_expired')).toEqual([]);
  });

  it.each([
    ['just then', 31],
    ['long ago, while the service was down', 180],
  ])(
    'whose time was over %s do not expire while their answer cannot be judged',
    async (when, minutes) => {
      const session = await asked(service, `Not judged, and over ${when}`);
      const path = /\/collaborators\/maintainer\/permission$/;
      const { faults } = service.github;
      const mend = faults.failNext({ method: 'GET', path, status: 403, times: 40 });
      look = () => session.comment('maintainer', '1. Red');
      service.letPass(minutes * MINUTE);
      await session.advance();
      expect(await stateOf(session)).toBe('waiting(answer)');
      expect(Number((await session.row())?.wakeAt)).toBeGreaterThan(Date.now());
      mend();
      look = () => Promise.resolve();
      service.letPass(2 * MINUTE);
      service.model.says(finish);
      await session.advance();
      expect(await stateOf(session)).toBe('done');
      const entries = await session.journal();
      expect(entriesOf(entries, 'question_expired')).toEqual([]);
      expect(entriesOf(entries, 'expiry_deferred')).toHaveLength(1);
      expect(await lastInput(session)).toMatch(/> 1\. Red/);
    },
  );

  it('expire soon although an answer cannot be judged, also after a restart, and it is judged once it can be', async () => {
    const session = await asked(service, 'Never judged');
    service.repository.collaborators.set('writer', 'write');
    const path = /\/collaborators\/writer\/permission$/;
    const { faults } = service.github;
    const mend = faults.failNext({ method: 'GET', path, status: 403, times: 400 });
    await session.comment('writer', '1. Red');
    const verdicts = async () => {
      const entries = await session.journal();
      const said = entriesOf(entries, 'received').find(
        ({ intent }) => intent.kind === 'comment' && intent.body === '1. Red',
      );
      return entries.filter((entry) => 'received' in entry && entry.received === said?.seq);
    };
    service.letPass(39 * MINUTE);
    const first = Date.now();
    for (const pass of [0, 9 * MINUTE]) {
      service.letPass(pass);
      await session.advance();
      expect(entriesOf(await session.journal(), 'question_expired')).toEqual([]);
      const wakeAt = Number((await session.row())?.wakeAt);
      expect(wakeAt).toBeLessThanOrEqual(first + 10 * MINUTE + SLACK);
    }
    // What another process goes by.
    const deferred = entriesOf(await session.journal(), 'expiry_deferred');
    expect(deferred).toHaveLength(1);
    const until = Date.parse(deferred[0]?.until ?? '');
    expect(until).toBeGreaterThanOrEqual(first + 10 * MINUTE);
    expect(until).toBeLessThanOrEqual(first + 10 * MINUTE + SLACK);
    service.letPass(2 * MINUTE);
    service.model.says(finish);
    await session.advance();
    expect(await stateOf(session)).toBe('done');
    expect(entriesOf(await session.journal(), 'question_expired')).toHaveLength(1);
    expect(await verdicts()).toEqual([]);
    expect((await session.row())?.wakeAt).not.toBeNull();
    mend();
    service.letPass(60 * MINUTE);
    await session.advance();
    expect(await verdicts()).toMatchObject([{ type: 'admitted' }]);
  });

  it('do not keep a process from stopping while it looks for answers', async () => {
    const session = await asked(service, 'Stopping');
    const stopping = new AbortController();
    look = (_at, signal) => {
      stopping.abort(new Error('stop'));
      return signal.aborted ? Promise.reject(new WaitEnded('stopped')) : Promise.resolve();
    };
    service.letPass(31 * MINUTE);
    await session.advance({}, stopping);
    expect(await stateOf(session)).toBe('waiting(answer)');
    expect(entriesOf(await session.journal(), 'question_expired')).toEqual([]);
  });

  it('that are never answered end in a pause, not in a loop', async () => {
    const session = await asked(service, 'Nobody there');
    for (const again of [2, 3]) {
      service.model.says(json(['ask_question', { question: `Again ${again}?` }]));
      service.letPass(45 * MINUTE);
      await session.advance();
    }
    service.letPass(45 * MINUTE);
    await session.advance();
    await session.advance();
    const entries = await session.journal();
    expect(entriesOf(entries, 'question_expired').map(({ action }) => action)).toEqual([
      'defaults',
      'defaults',
      'pause',
    ]);
    expect(entriesOf(entries, 'run_started')).toHaveLength(3);
    expect((await session.row())?.wakeAt).toBeNull();
    await session.comment('maintainer', 'Here I am.');
    service.model.says(finish);
    await session.advance();
    expect(await stateOf(session)).toBe('done');
  });

  it('stop waiting once the work is stopped, and a failing label is not a failure', async () => {
    service.github.faults.failNext({ method: 'POST', path: /\/labels$/, status: 403 });
    const session = await asked(service, 'Stop');
    expect(await labelsOf(service, session)).not.toContain(LABEL);
    await session.comment('maintainer', '/issuewright stop');
    await session.advance();
    service.letPass(75 * MINUTE);
    await session.advance();
    expect(await stateOf(session)).toBe('stopped');
    expect((await session.row())?.wakeAt).toBeNull();
  });
});

describe('questions that pause', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({
      '.github/issuewright.yml': 'question_timeout: { after: 1h, action: pause }\n',
    });
  });
  afterAll(() => service.close());

  it('say so, and continue with an answer or by command', async () => {
    const session = await asked(service, 'Pause');
    service.letPass(60 * MINUTE);
    await session.advance();
    await session.publish();
    expect(entriesOf(await session.journal(), 'run_started')).toHaveLength(1);
    const texts = service.repository.comments.map(({ body }) => body).join('\n');
    expect(texts).toContain('**⏸️ Paused: no answer in time**');
    expect(await labelsOf(service, session)).toContain(LABEL);
    await session.comment('maintainer', '/issuewright resume');
    service.model.says(finish);
    await session.advance();
    expect(await stateOf(session)).toBe('done');
  });
});
