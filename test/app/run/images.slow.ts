// Images in an issue and in comments, from a local GitHub to the model.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ImagesRejected } from '../../../src/agent/model-errors.ts';
import type { Message } from '../../../src/contracts/model.ts';
import { TryLater } from '../../../src/lib/errors.ts';
import { json } from '../../agent/support.ts';
import { gif, png } from '../../support/images.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const SEEING = { areImagesSeen: true };
const MINUTE = 60_000;
const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);
const ask = json(['ask_question', { question_text: 'Which one?' }]);

describe('images on GitHub', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  beforeEach(() => service.model.sees('image/png', 'image/jpeg'));
  afterAll(() => service.close());

  const attached = (image: Buffer): string =>
    `![a shot](${service.github.as('maintainer').attach(image)})`;
  const started = (title: string, body: string) => service.start(title, 'maintainer', body);
  const lastMessages = (): readonly Message[] => service.model.requests.at(-1)?.messages ?? [];
  /** What a request has of images, by the messages that people sent. */
  const imagesIn = (messages = lastMessages()) =>
    messages.flatMap((message) =>
      message.role === 'user' && message.images !== undefined
        ? [message.images.map(({ number, data }) => [number, data])]
        : [],
    );
  const asImage = (number: number, image: Buffer) => [number, image.toString('base64')];
  const fetches = (): number =>
    service.github.requests.filter(({ path }) => path.startsWith('/user-attachments/')).length;
  const inputOf = async ({
    journal,
  }: {
    journal: Awaited<ReturnType<typeof started>>['journal'];
  }) => entriesOf(await journal(), 'input_read');

  it('reach a model that sees them, with numbers, and with words for those that are left out', async () => {
    const [one, other] = [png(30, 20), png(40, 20)];
    const camo = '![badge](https://camo.githubusercontent.com/ab/cd)';
    const body = `See ${attached(one)} and ${camo}.\n\n${attached(other)}${attached(one)}${attached(gif())}`;
    const session = await started('Look at this', body);
    service.model.says(finish);
    await session.advance(SEEING);
    const [input] = await inputOf(session);
    expect(input?.text).toMatch(
      /> See \[image 1: attached\] and \[image 2: left out, it is not an upload to GitHub\]\.\n>\s+> \[image 3: attached\]\[image 1: attached\]\[image 4: left out, this model does not read GIF\]\n\n\(The attached images are from the people/,
    );
    expect(imagesIn()).toEqual([[asImage(1, one), asImage(3, other)]]);
    expect(input?.images).toMatchObject([
      { number: 1, type: 'image/png', width: 30, height: 20, bytes: one.length },
      { number: 3, width: 40 },
    ]);
  });

  it('are the same, byte for byte, in a run that resumes after their addresses expired', async () => {
    const image = png(50, 50);
    const session = await started('Resume', attached(image));
    service.model.says(new TryLater('busy', { retryAfterMs: 10 * MINUTE }));
    await session.advance(SEEING);
    const before = lastMessages();
    const fetched = fetches();
    service.letPass(10 * MINUTE);
    service.model.says(finish);
    await session.advance(SEEING);
    expect(imagesIn(before)).toEqual([[asImage(1, image)]]);
    expect(lastMessages()).toEqual(before);
    expect(fetches()).toBe(fetched);
  });

  it('leave no signed address in the journal or in what the model reads', async () => {
    const session = await started('Sign', `${attached(png(60, 60))} [link](https://x.example)`);
    service.model.says(finish);
    await session.advance(SEEING);
    expect(JSON.stringify(await session.journal())).not.toContain('jwt');
    expect(JSON.stringify(lastMessages())).not.toContain('jwt');
    expect(imagesIn()).toHaveLength(1);
  });

  it('are words for a model that cannot see, and are not fetched if no model can', async () => {
    service.model.sees();
    const body = attached(png(70, 70));
    const blind = await started('Blind', body);
    const before = fetches();
    service.model.says(finish, finish);
    await blind.advance();
    expect(fetches()).toBe(before);
    expect(JSON.stringify(lastMessages())).toContain(
      '[image 1: left out, no model of this service is known to see images]',
    );
    const among = await started('Blind among others', body);
    await among.advance(SEEING);
    expect(JSON.stringify(lastMessages())).toContain(
      '[image 1: left out, this model is not known to see images]',
    );
    expect(imagesIn()).toEqual([]);
  });

  it('of comments come with the comments, and stay with a model that sees them', async () => {
    const [first, second] = [png(80, 80), png(90, 90)];
    const session = await started('Ask', attached(first));
    service.model.says(ask, finish);
    await session.advance(SEEING);
    await session.comment('maintainer', `This one: ${attached(second)}`);
    await session.advance(SEEING);
    expect(imagesIn()).toEqual([[asImage(1, first)], [asImage(1, second)]]);
  });

  it('of an earlier run are named to a model that cannot see them', async () => {
    const session = await started('Change the model', attached(png(95, 95)));
    service.model.says(ask, finish);
    await session.advance(SEEING);
    service.model.sees();
    await session.comment('maintainer', 'Any of them.');
    await session.advance({ ...SEEING, models: ['test:second'] });
    expect(imagesIn()).toEqual([]);
    expect(JSON.stringify(lastMessages())).toContain('(Not sent to you: image 1.)');
  });

  it('are left out from the ninth on, and in all from the twenty-first on', async () => {
    const nine = () => Array.from({ length: 9 }, (_none, n) => attached(png(100 + n, 10))).join('');
    const session = await started('Many', nine());
    service.model.says(ask, ask, ask);
    await session.advance(SEEING);
    expect(imagesIn()[0]).toHaveLength(8);
    for (const _again of [1, 2]) {
      await session.comment('maintainer', nine());
      await session.advance(SEEING);
    }
    expect(imagesIn().map((images) => images.length)).toEqual([8, 8, 4]);
    const texts = (await inputOf(session)).map(({ text }) => text);
    expect(texts[0]).toContain('[image 9: left out, at most 8 are attached at once]');
    expect(texts[2]).toContain('[image 5: left out, at most 20 are attached in all]');
  });

  it('are left out once those of the session are too large together', async () => {
    const large = Array.from({ length: 4 }, (_none, n) => png(10, 10 + n, { extra: 3_400_000 }));
    const session = await started('Large', large.map(attached).join('\n'));
    service.model.says(finish);
    await session.advance(SEEING);
    expect(imagesIn()[0]).toHaveLength(3);
    expect(JSON.stringify(lastMessages())).toContain(
      '[image 4: left out, at most 12 MB are attached in all]',
    );
  });

  it('are not sent any more once the server rejected them', async () => {
    const session = await started('Reject', attached(png(96, 96)));
    service.model.says(new ImagesRejected('first did not accept images (400)'), finish);
    await session.advance(SEEING);
    expect(imagesIn()).toEqual([]);
    expect(JSON.stringify(lastMessages())).toContain('(Not sent to you: image 1.)');
    const entries = await session.journal();
    expect(entriesOf(entries, 'images_dropped')).toHaveLength(1);
    expect(entriesOf(entries, 'run_ended')).toMatchObject([{ end: { kind: 'finished' } }]);
  });

  it('are left out if GitHub does not send them', async () => {
    const session = await started(
      'Gone',
      `![a](${service.github.url}/user-attachments/assets/none)`,
    );
    service.model.says(finish);
    await session.advance(SEEING);
    expect(JSON.stringify(lastMessages())).toContain('[image 1: left out, GitHub returned 404]');
  });
});
