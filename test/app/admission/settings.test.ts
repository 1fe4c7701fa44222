import { describe, expect, it } from '@jest/globals';
import { rulesFor, settingsFor } from '../../../src/app/admission/settings.ts';
import { NotFound } from '../../../src/github/errors.ts';
import { TellPerson, TryLater } from '../../../src/lib/errors.ts';

type Answer = string | Error | undefined;

const answer = async (what: Answer): Promise<string | undefined> => {
  if (what instanceof Error) throw what;
  return what;
};

const files = (own: Answer, owners: Answer) => ({
  readFile: () => answer(own),
  ownersFile: () => answer(owners),
});

const PLACE = { id: 1, owner: 'example', name: 'words' };
const thrown = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

describe('the settings of a run', () => {
  it("are those of its repository over its owner's", async () => {
    await expect(settingsFor(files('draft: false', 'label: ours'), PLACE)).resolves.toMatchObject({
      settings: { draft: false, label: 'ours' },
    });
  });

  it("are not applied twice in the owner's `.github` repository itself", async () => {
    const own = files('paths: {deny: [a]}', new TryLater('never asked'));
    await expect(settingsFor(own, { ...PLACE, name: '.github' })).resolves.toMatchObject({
      settings: { paths: { deny: ['a'] } },
    });
  });

  it.each([
    [
      'a fault in its own file',
      files('mode: x', undefined),
      /^`\.github\/issuewright\.yml` is invalid: line 1: `mode`/,
    ],
    [
      "a fault in its owner's",
      files(undefined, 'a: [b'),
      /^`\.github\/issuewright\.yml` of `example\/\.github` is invalid: /,
    ],
    [
      "its owner's being too long",
      files('label: mine', new TellPerson('`a.yml` is larger than 64 KB. Shorten it.')),
      /^The settings file in `example\/\.github` is invalid: `a\.yml` is larger/,
    ],
  ])('end it with an explanation for %s', async (_what, github, words) => {
    const error = await thrown(settingsFor(github, PLACE));
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toMatch(words);
  });

  it('are waited for if GitHub is unavailable', async () => {
    for (const github of [files(undefined, new TryLater('busy')), files(new TryLater('busy'), '')])
      expect(await thrown(settingsFor(github, PLACE))).toBeInstanceOf(TryLater);
  });
});

describe('the label that starts work', () => {
  it.each([
    ['the default if none is set', undefined, undefined, 'issuewright'],
    ["its owner's", undefined, 'label: ours', 'ours'],
    ['its own', 'label: mine', 'label: ours', 'mine'],
    ['its own, in a file that cannot be used', 'label: mine\nmode: x', undefined, 'mine'],
    ["its own, if its owner's cannot be used", 'label: mine', 'mode: x', 'mine'],
    ["its own, if its owner's cannot be read", 'label: mine', new TellPerson('long'), 'mine'],
    ['the default if its file is invalid', new TellPerson('no file'), undefined, 'issuewright'],
  ])('is %s', async (_what, own, owners, label) => {
    await expect(rulesFor(files(own, owners), PLACE)).resolves.toMatchObject({ label });
  });

  it('is unknown if GitHub denies the request', async () => {
    const gone = new NotFound('gone', 404);
    expect(await thrown(rulesFor(files(gone, undefined), PLACE))).toBe(gone);
  });
});
