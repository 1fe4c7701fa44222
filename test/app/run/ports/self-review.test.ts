import { describe, expect, it } from '@jest/globals';
import { ContextOverflow } from '../../../../src/agent/model-errors.ts';
import {
  reviewChange,
  roomFor,
  type SelfReviewRequest,
} from '../../../../src/app/run/ports/reviewer.ts';
import type { Finding } from '../../../../src/contracts/effect.ts';
import type { Model, ModelReply, ModelRequest } from '../../../../src/contracts/model.ts';
import { TellPerson, TryLater } from '../../../../src/lib/errors.ts';
import { USAGE } from '../../../agent/support.ts';

const withoutSecret = (text: string): string => text.replaceAll('SECRET', '[redacted]');

const REST = {
  reasoning: '',
  calls: [],
  stop: 'end',
  native: null,
  usage: USAGE,
  cost: 0.02,
} as const;

async function review(
  said: string | Error | Partial<ModelReply>,
  options: Partial<SelfReviewRequest> & { readonly findings?: readonly Finding[] } = {},
) {
  const requests: ModelRequest[] = [];
  const { findings = [], ...rest } = options;
  const model: Model = {
    name: 'test:reviewer',
    destination: 'Nobody (test)',
    callsTools: true,
    imageTypes: new Set(),
    contextWindow: undefined,
    reply: (request) => {
      requests.push(request);
      if (said instanceof Error) return Promise.reject(said);
      return Promise.resolve({
        text: '',
        ...REST,
        ...(typeof said === 'string' ? { text: said } : said),
      });
    },
  };
  const done = await reviewChange({
    model,
    change: {
      digest: 'one',
      text: '# Diff\n\n+export const greet = () => SECRET;',
      paths: ['src/greet.ts', 'test/greet.test.ts'],
      findings,
    },
    outputTokens: 32_000,
    cacheKey: 'test:review',
    redact: withoutSecret,
    redactForModel: (text) => Promise.resolve(withoutSecret(text)),
    signal: new AbortController().signal,
    ...rest,
  });
  return { done, requests };
}

describe('a review of a change', () => {
  it('shows a model the change and nothing else, without secrets and tools', async () => {
    const { requests } = await review('nothing');
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      system: expect.stringContaining('You review a change before people do'),
      messages: [{ role: 'user', text: '# Diff\n\n+export const greet = () => [redacted];' }],
      tools: [],
      maxOutputTokens: 8_000,
      cacheKey: 'test:review',
    });
  });

  it.each<[string, string, readonly Finding[]]>([
    ['a list', '- a\n- b', [{ text: 'a' }, { text: 'b' }]],
    ['a numbered list', '1. a\n2) b', [{ text: 'a' }, { text: 'b' }]],
    ['a place', '- src/greet.ts:12: a', [{ path: 'src/greet.ts', line: 12, text: 'a' }]],
    ['a range', '* `src/greet.ts:12-14`: a', [{ path: 'src/greet.ts', line: 12, text: 'a' }]],
    ['a file', '- **src/greet.ts**: a', [{ path: 'src/greet.ts', text: 'a' }]],
    ['a file that is not in the change', '- /etc/passwd:1: a', [{ text: '/etc/passwd:1: a' }]],
    ['words before a colon', '- Note: a', [{ text: 'Note: a' }]],
    ['an empty list', '- nothing', []],
    ['no list but the agreed word', 'Nothing.', []],
    ['thoughts before it', '<think>- x</think>\n- a', [{ text: 'a' }]],
    ['secrets', '- a SECRET', [{ text: 'a [redacted]' }]],
  ])('reads findings from %s', async (_what, said, findings) => {
    const { done } = await review(said);
    expect(done).toMatchObject({ change: 'one', findings, usage: USAGE, cost: 0.02 });
    expect(done.failure).toBeUndefined();
  });

  it('has at most ten findings, each of them short', async () => {
    const { done } = await review(`- ${'long '.repeat(500)}\n`.repeat(40));
    expect(done.findings).toHaveLength(10);
    expect(Math.max(...done.findings.map(({ text }) => text.length))).toBeLessThan(501);
  });

  it('begins with what needs no model, which is there even if no model answers', async () => {
    const own = { path: 'src/greet.ts', line: 1, text: 'a secret' };
    const { done } = await review('- a', { findings: [own] });
    expect(done.findings).toEqual([own, { text: 'a' }]);
    const failed = await review(new TellPerson('no'), { findings: [own] });
    expect(failed.done).toMatchObject({ findings: [own], failure: 'no' });
  });

  it.each<[string, string | Error | Partial<ModelReply>, RegExp]>([
    [
      'the model server rejects it',
      new TellPerson('The API key SECRET is invalid.'),
      /key \[redacted\] is/,
    ],
    ['the model server is down', new TryLater('The model server is down.'), /server is down/],
    ['the change is too large', new ContextOverflow('too long'), /too large for test:reviewer/],
    ['the reply is no list', 'Looks good to me!', /not a list/],
    ['the reply is empty', '', /not a list/],
    ['the provider filters it', { stop: 'filtered' }, /safety filter/],
  ])('says why it was not possible: %s', async (_why, said, failure) => {
    const { done } = await review(said);
    expect(done.findings).toEqual([]);
    expect(done.failure).toMatch(failure);
  });

  it('asks nobody if there is a reason not to', async () => {
    const { done, requests } = await review('- a', { instead: 'The budget is used.' });
    expect(requests).toEqual([]);
    expect(done).toMatchObject({ failure: 'The budget is used.', cost: 0 });
  });

  it('ends with the signal of the run, like any request', async () => {
    const stopped = new Error('the run was stopped');
    await expect(review(stopped)).rejects.toBe(stopped);
  });

  it('fits the change into a small context window', () => {
    const model = { contextWindow: 8_000 } as Model;
    expect(roomFor(model)).toBe(12_000);
    expect(roomFor({ ...model, contextWindow: undefined })).toBe(100_000);
  });
});
