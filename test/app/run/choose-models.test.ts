// The models that a repository allows. Labels and outages are in models.slow.ts.
import { describe, expect, it } from '@jest/globals';
import {
  chooseModel,
  mayContinueWith,
  reviewModelOf,
} from '../../../src/app/run/plan/choose-models.ts';
import type { FollowedSettings } from '../../../src/app/admission/settings.ts';
import type { Operator } from '../../../src/app/service/service.ts';
import { TellPerson } from '../../../src/lib/errors.ts';
import { readSettings } from '../../../src/session/settings/read.ts';
import { Journal } from '../../support/journal.ts';

const OFFERED = ['a:one', 'b:two', 'c:three'] as const;

function followed(own: string, owners?: string): FollowedSettings {
  const read = readSettings(own, { text: owners, repository: 'example/.github' });
  if ('fault' in read) throw new Error(read.fault);
  return read;
}

/** The model that works, and the one that reviews. */
async function chosen(read: FollowedSettings, more: Partial<Operator> = {}) {
  const operator = { models: OFFERED, selfReview: true, ...more } as unknown as Operator;
  const scope = { tracker: new Journal().start(), service: { operator } };
  const { model, effort } = await chooseModel(scope as never, read, async () => []);
  return { model, effort, reviewer: reviewModelOf(read, operator, model) };
}

describe('the model of a run', () => {
  it.each([
    ['', 'a:one'],
    ['model: b:two', 'b:two'],
    ['models: {allow: ["c:three", "b:two"]}', 'b:two'],
    ['models: {allow: ["c:three", "b:two"]}\nmodel: c:three', 'c:three'],
  ])('by the settings %j is %s', async (settings, model) => {
    expect(await chosen(followed(settings))).toMatchObject({ model });
  });

  it.each([
    ['model: d:four', /`model` .* the operator does not offer\. Choose one of: `a:one`, /],
    [
      'models: {allow: ["b:two"]}\nmodel: a:one',
      /`models\.allow` does not have\. Choose one of: `b:two`/,
    ],
    ['models: {allow: ["d:four"]}', /offers none of the models in `models\.allow`/],
  ])('cannot be chosen by the settings %j, which the person is told', async (settings, words) => {
    const error: unknown = await chosen(followed(settings)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toMatch(words);
  });

  it('is one that the owner and the repository allow', async () => {
    const read = followed(
      'models: {allow: ["b:two", "c:three"]}',
      'models: {allow: ["a:one", "c:three"]}',
    );
    expect(await chosen(read)).toMatchObject({ model: 'c:three' });
    expect(() => followed('models: {allow: ["b:two"]}', 'models: {allow: ["a:one"]}')).toThrow(
      /models\.allow.*is empty/,
    );
    const { settings } = followed('models: {labels: true}', 'models: {labels: false}');
    expect(settings.models.labels).toBe(false);
  });

  it.each([
    ['', 'a:one', true],
    ['', 'd:four', false],
    ['', 'e:five', true],
    ['models: {allow: ["b:two"]}', 'a:one', false],
    ['models: {allow: ["b:two"]}', 'e:five', false],
    ['models: {allow: ["b:two", "e:five"]}', 'e:five', true],
    ['models: {allow: ["b:two"]}', 'scripted:proof', true],
  ])('by the settings %j continues an interrupted run of %s: %s', (settings, model, may) => {
    const fallback = { model: 'e:five', afterMs: 1 };
    const operator = { models: OFFERED, fallback } as unknown as Operator;
    expect(mayContinueWith(model, operator, followed(settings))).toBe(may);
  });

  it('reviews by itself if the settings do not allow the operator’s reviewer', async () => {
    const reviewModel = 'a:one';
    expect(await chosen(followed('model: b:two'), { reviewModel })).toMatchObject({
      reviewer: 'a:one',
    });
    const closed = followed('models: {allow: ["b:two"]}');
    expect(await chosen(closed, { reviewModel })).toMatchObject({ reviewer: 'b:two' });
  });

  it('thinks as the operator says without a word of the repository', async () => {
    expect(await chosen(followed(''), { effort: 'max', mostEffort: 'max' })).toMatchObject({
      effort: 'max',
    });
    expect(await chosen(followed('model_effort: low'), { effort: 'high' })).toMatchObject({
      effort: 'low',
    });
    expect(await chosen(followed(''))).toMatchObject({ effort: undefined });
  });
});
