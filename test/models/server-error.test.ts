import { describe, expect, it } from '@jest/globals';
import { ContextOverflow, ImagesRejected, ToolsUnsupported } from '../../src/agent/model-errors.ts';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import {
  connectionFailed,
  errorFor,
  type ServerError,
} from '../../src/models/wire/server-error.ts';
import { retryAfterMs } from '../../src/models/wire/server-error.ts';

const ATTEMPT = {
  model: 'm',
  withTools: true,
  withImages: false,
  addressSetting: 'OPENAI_BASE_URL',
};
const decide = (error: Partial<ServerError>, withTools = true, withImages = false) =>
  errorFor(
    { status: 400, codes: [], words: '', ...error },
    { ...ATTEMPT, withTools, withImages },
    new Error('cause'),
  );

// As servers are reported, or documented, to say it.
const TOOLS_UNSUPPORTED: [number, string][] = [
  [400, 'registry.ollama.ai/library/deepseek-r1:14b does not support tools'],
  [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  [500, 'tools param requires --jinja flag'],
  [500, 'Unsupported param: tools'],
  [404, 'No endpoints found that support tool use. To learn more about provider routing, visit: …'],
  [404, 'tools is not supported in this model. For a list of supported models, refer to …'],
  [400, "Unsupported parameter: 'tools' is not supported with this model."],
  [404, 'Unrecognized request argument supplied: tools'],
  [400, 'Unrecognized request arguments supplied: tool_choice, tools'],
  [400, 'deepseek-reasoner does not support Function Calling'],
  [400, 'Function calling is not enabled for models/gemma-3-27b-it'],
];

const OVERFLOW: [number | undefined, string][] = [
  [400, "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens"],
  [400, 'The decoder prompt (length 9001) is longer than the maximum model length of 8192.'],
  [400, "The input (9001 tokens) is longer than the model's context length (8192 tokens)."],
  [400, 'request (70494 tokens) exceeds the available context size (67584 tokens)'],
  [undefined, 'Trying to keep the first 15857 tokens when context the overflows. However, …'],
  [
    undefined,
    'The number of tokens to keep from the initial prompt is greater than the context length.',
  ],
  [400, 'prompt is too long: 215000 tokens > 200000 maximum'],
  [400, 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000'],
  [400, 'The input token count (1203000) exceeds the maximum number of tokens allowed (1048576).'],
  [400, 'Prompt contains 40000 tokens …, too large for model with 32768 maximum context length'],
  [429, 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 44000.'],
  [413, 'Request Entity Too Large'],
];

const IMAGES_REJECTED: [number, string][] = [
  [400, 'Invalid content type. image_url is only supported by certain models.'],
  [400, 'You uploaded an unsupported image. Please make sure your image is valid.'],
  [400, 'messages.0.content.1.image.source.base64.data: Could not process image'],
  [400, 'Unable to process input image. Please retry or report in …'],
  [404, 'No endpoints found that support image input'],
  [413, 'Request Entity Too Large'],
  [422, 'Input should be a valid string'],
  [500, 'Failed to create new sequence: failed to process inputs: illegal base64 data'],
  [500, 'image input is not supported - hint: you may need to provide the mmproj'],
];

const NOT_OF_IMAGES: [number, string][] = [
  [401, 'invalid key'],
  [402, 'no money left'],
  [403, 'this key may not send an image'],
  [404, 'there is no such model'],
  [429, 'slow down'],
  [429, 'Rate limit reached for images per minute'],
  [500, 'oops'],
  [400, 'prompt is too long: 215000 tokens > 200000 maximum'],
];

describe('the decision about a server error', () => {
  it.each(IMAGES_REJECTED)('recognises that images are rejected: %d %s', (status, words) => {
    expect(decide({ status, words }, true, true)).toBeInstanceOf(ImagesRejected);
    expect(decide({ status, words })).not.toBeInstanceOf(ImagesRejected);
  });

  it('recognises that llama.cpp rejects images, as it calls every failure `server_error`', () => {
    const words = 'image input is not supported - hint: you may need to provide the mmproj';
    const error = { status: 500, codes: [500, 'server_error'], words };
    expect(decide(error, true, true)).toBeInstanceOf(ImagesRejected);
    const other = { ...error, words: 'Loading model' };
    expect(decide(other, true, true)).toBeInstanceOf(TryLater);
  });

  it.each(NOT_OF_IMAGES)('does not blame images for anything else: %d %s', (status, words) => {
    expect(decide({ status, words }, true, true)).not.toBeInstanceOf(ImagesRejected);
  });

  it.each(TOOLS_UNSUPPORTED)('recognises that tools are unsupported: %d %s', (status, words) => {
    expect(decide({ status, words })).toBeInstanceOf(ToolsUnsupported);
    expect(decide({ status, words }, false)).not.toBeInstanceOf(ToolsUnsupported);
  });

  it.each(OVERFLOW)('knows a conversation that is too long: %d %s', (status, words) => {
    expect(decide({ status, words })).toBeInstanceOf(ContextOverflow);
  });

  it.each(['context_length_exceeded', 'exceed_context_size_error', 'tokens_limit_reached'])(
    'knows it by the code %s',
    (code) => {
      expect(decide({ codes: [null, code] })).toBeInstanceOf(ContextOverflow);
    },
  );

  it.each([
    'max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.',
    'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for m',
  ])('names the setting for replies that are too long: %s', (words) => {
    const error = decide({ words });
    expect(error).toBeInstanceOf(TellPerson);
    expect(error.message).toContain('AGENT_MAX_TOKENS');
  });

  it('names what may take no larger requests, if the server says no more', () => {
    const error = decide({ status: 413 });
    expect(error).toMatchObject({ isOfBytes: true });
    expect(error.message).toMatch(/too large \(413\).*proxy.*client_max_body_size/);
  });

  it.each<[Partial<ServerError>, RegExp]>([
    [{ status: 401 }, /did not accept the API key.*\(401\)/],
    [{ status: 403, codes: ['no_access'] }, /did not accept the API key.*\(403, no_access\)/],
    [{ status: 404, codes: ['model_not_found'] }, /does not know m \(404.*OPENAI_BASE_URL/],
    [{ status: 402, words: 'Insufficient Balance' }, /quota/],
    [{ status: 429, codes: ['insufficient_quota'] }, /quota/],
    [{ status: 400, words: 'Your credit balance is too low to access the API' }, /quota/],
    [{ status: 422 }, /did not accept the request to .* \(422\)/],
  ])('tells the person of %j', (failure, words) => {
    const error = decide(failure);
    expect(error).toBeInstanceOf(TellPerson);
    expect(error.message).toMatch(words);
  });

  it.each<Partial<ServerError>>([
    { status: 408 },
    { status: 409 },
    { status: 429 },
    { status: 500 },
    { status: 503 },
    { status: 529, codes: ['overloaded_error'] },
    { status: undefined, codes: ['overloaded_error'] },
    { status: undefined },
  ])('tries later after %j', (failure) => {
    expect(decide(failure)).toBeInstanceOf(TryLater);
  });

  it('takes a quota that comes back for a rate limit', () => {
    const headers = new Headers({ 'retry-after': '3600' });
    const error = decide({ status: 429, codes: ['insufficient_quota'], headers });
    expect(error).toMatchObject({ name: 'TryLater', retryAfterMs: 3_600_000 });
  });

  it('does not interpret the message about an invalid key', () => {
    const words = 'Incorrect key: does not support tools, context_length_exceeded, overloaded';
    expect(decide({ status: 401, words })).toBeInstanceOf(TellPerson);
  });

  it('quotes no message about a key or a passing error, and no other text in the place of a code', () => {
    const secret = 'sk-secret with blanks';
    for (const status of [undefined, 401, 403, 413, 429, 500]) {
      expect(decide({ status, codes: [secret], words: secret }).message).not.toContain('sk-');
    }
    expect(decide({ codes: [secret] }).message).not.toContain('sk-');
  });

  it('quotes what the server says of missing rights, without anything that may be a key', () => {
    const words =
      '{"error":{"message":"Project `p-1` has no access to\\n`m`. Key sk-proj-abc****xyz, AIzaSy, sk-ant-1 of ghp_x"}}';
    expect(decide({ status: 403, words }).message).toMatch(
      /permissions\. It says: `Project 'p-1' has no access to 'm'\. Key \[key\] \[key\] \[key\] of \[key\]`$/,
    );
    expect(decide({ status: 403, words: 'w '.repeat(900) }).message.length).toBeLessThan(700);
  });

  it.each<[string, string]>([
    ['a message', "Invalid schema for function 'f': oneOf is not permitted."],
    [
      'an answer',
      '{"error":{"message":"Invalid schema for function \'f\': oneOf is not permitted."}}',
    ],
    [
      'what an SDK makes of it',
      '400 {"type":"error","error":{"message":"Invalid schema for function \'f\': oneOf is not permitted."}}',
    ],
    [
      'lines with invisible characters',
      'Invalid\u200b \nschema\u202e for function `f`:\u0000\toneOf is not permitted.',
    ],
  ])('quotes the words about a bad request from %s', (_what, words) => {
    for (const status of [400, 404, 422])
      expect(decide({ status, words }).message).toMatch(
        / It says: `Invalid schema for function 'f': oneOf is not permitted\.`$/,
      );
  });

  it('quotes no more than 400 characters of them, and no half of a word', () => {
    const { message } = decide({ words: `${'word '.repeat(79)}${'s'.repeat(100)} and more` });
    expect(message).toMatch(/word …`$/);
    expect(decide({ words: 's'.repeat(5_000) }).message).toMatch(/\(400\)\. The operator can find/);
    expect(decide({ words: ' \u200b' }).message).toMatch(
      /\(400\)\. The operator can find the details in the service log\.$/,
    );
  });

  it('quotes the beginning of words that no blanks separate, and nothing of a long one that may be a secret', () => {
    const sentence = '模型不支持该参数，';
    const { message } = decide({ words: `${sentence.repeat(80)}` });
    expect(message).toMatch(/模型不支持该参数，模.* …`$/);
    const secret = `${sentence.repeat(43)}${'s'.repeat(100)}`;
    expect(decide({ words: secret }).message).toMatch(/， …`$/);
    expect(decide({ words: '😀'.repeat(300) }).message).toBe(
      decide({ words: '😀'.repeat(300) }).message.toWellFormed(),
    );
  });

  it('reads no more of the words than their beginning', () => {
    const words = `${'x'.repeat(5000)} does not support tools`;
    expect(decide({ words })).toBeInstanceOf(TellPerson);
  });

  it('names what the system calls a broken connection', () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    expect(connectionFailed(new Error('Connection error.', { cause: reset })).message).toMatch(
      /\(ECONNRESET\)/,
    );
    expect(connectionFailed('?').message).toMatch(/no reason/);
  });
});

describe('how long a server asks to wait', () => {
  const NOW = Date.parse('2026-03-01T12:00:00Z');
  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after-ms': '1500', 'retry-after': '7' }, 1500],
    [{ 'retry-after': 'Sun, 01 Mar 2026 12:01:00 GMT' }, 60_000],
    [{ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': '9'.repeat(300) }, 86_400_000],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('reads %j as %s', (headers, ms) => {
    expect(retryAfterMs(new Headers(headers), NOW)).toBe(ms);
  });
});
