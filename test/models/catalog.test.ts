import { describe, expect, it } from '@jest/globals';
import type { Usage } from '../../src/contracts/model.ts';
import {
  PRICE_LISTS,
  costOf,
  factsOf as factsOfName,
  readPriceList,
  type PriceList,
} from '../../src/models/catalog.ts';

const UNKNOWN = {
  price: null,
  contextWindow: undefined,
  maxOutput: undefined,
  seesImages: false,
};
const usage = (part: Partial<Usage>): Usage => ({
  input: 0,
  cached: 0,
  written: 0,
  output: 0,
  reasoning: 0,
  ...part,
});

const FREE = new Set(['ollama']);

const factsOf = (provider: string, model: string, list?: PriceList) =>
  factsOfName(`${provider}:${model}`, FREE.has(provider), list);

describe('the price lists', () => {
  it('have the form that the operator’s own list has, and say of when and where they are', () => {
    for (const list of PRICE_LISTS) {
      expect(readPriceList(JSON.stringify(list))).toEqual(list);
      expect(list.asOf).toBeDefined();
      expect(list.source).toMatch(/^https:/);
    }
  });

  it('name each model once', () => {
    const names = PRICE_LISTS.flatMap(({ models }) => Object.keys(models));
    expect(new Set(names).size).toBe(names.length);
  });

  it('never let cached input cost more than fresh, nor a long request less than a short one', () => {
    for (const [name, { price }] of PRICE_LISTS.flatMap(({ models }) => Object.entries(models))) {
      if (!price) throw new Error(`${name} has no price`);
      expect(price.cached ?? price.input).toBeLessThanOrEqual(price.input);
      expect(price.output).toBeGreaterThan(price.input);
      const { longInput = { ...price, above: 1 } } = price;
      expect(longInput.input).toBeGreaterThanOrEqual(price.input);
      expect(longInput.output).toBeGreaterThanOrEqual(price.output);
    }
  });
});

describe('what is known of a model', () => {
  it.each([
    ['openai', 'gpt-5-2025-08-07', 'gpt-5'],
    ['openai', 'gpt-4.1-mini-2025-04-14', 'gpt-4.1-mini'],
    ['anthropic', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
  ])('is for %s:%s what is known of %s', (provider, dated, model) => {
    expect(factsOf(provider, dated).price).not.toBeNull();
    expect(factsOf(provider, dated)).toEqual(factsOf(provider, model));
  });

  it.each([
    ['openai', 'gpt-5-experimental'],
    ['openai', 'gpt-5-20'],
    ['openai', 'gpt-5-2025-13-01'],
    ['openai', 'gpt-5-2025-0807'],
    ['openai', 'gpt'],
    ['openai', 'claude-opus-4-5'],
    ['openai', ''],
    ['gemini', 'gemini-2.5-flash-preview-09-2025'],
    ['gh', 'openai/gpt-5'],
    ['constructor', '__proto__'],
  ])('is nothing for %s:%s', (provider, model) => {
    expect(factsOf(provider, model)).toEqual(UNKNOWN);
  });

  it('keeps apart what is only named alike', () => {
    const inputs = ['gpt-5', 'gpt-5-mini', 'gpt-5-nano'].map(
      (model) => factsOf('openai', model).price?.input,
    );
    expect(inputs).toEqual([1.25, 0.25, 0.05]);
    expect(factsOf('openai', 'gpt-4o-2024-05-13').price?.input).toBe(5);
    expect(factsOf('openai', 'gpt-4o-2024-08-06').price?.input).toBe(2.5);
  });

  it('is that ollama costs nothing', () => {
    expect(factsOf('ollama', 'anything')).toEqual({
      ...UNKNOWN,
      price: { input: 0, output: 0 },
    });
  });
});

describe('the operator’s own list', () => {
  const own = (models: object) => readPriceList(JSON.stringify({ models }));

  it('counts before the one that is built in, field by field', () => {
    const list = own({
      'openai:gpt-5': { price: { input: 1, output: 8 } },
      'openai:gpt-5-mini': { contextWindow: 1000 },
      'openai:gpt-5-nano': { price: null },
    });
    expect(factsOf('openai', 'gpt-5', list)).toEqual({
      ...factsOf('openai', 'gpt-5'),
      price: { input: 1, output: 8 },
    });
    expect(factsOf('openai', 'gpt-5-2025-08-07', list).price?.input).toBe(1);
    expect(factsOf('openai', 'gpt-5-mini', list)).toEqual({
      ...factsOf('openai', 'gpt-5-mini'),
      contextWindow: 1000,
    });
    expect(factsOf('openai', 'gpt-5-nano', list).price).toBeNull();
  });

  it('adds models, whatever colons their names have', () => {
    const list = own({ 'ollama:qwen3:32b': { contextWindow: 40_960, maxOutput: 8192 } });
    expect(factsOf('ollama', 'qwen3:32b', list)).toEqual({
      price: { input: 0, output: 0 },
      contextWindow: 40_960,
      maxOutput: 8192,
      seesImages: false,
    });
    const seeing = own({ 'ollama:qwen3-vl': { seesImages: true } });
    expect(factsOf('ollama', 'qwen3-vl', seeing).seesImages).toBe(true);
  });

  it.each([
    ['{', /^it is not JSON( \(line 1 column 2\))?$/],
    ['sk-proj-Zebrafish0123456789', /^it is not JSON( \(line \d+ column \d+\))?$/],
    ['[]', /^the file: /],
    ['{"prices": {}}', /^models: .*; the file: /],
    ['{"models": {"gpt-5": {}}}', /^models: a name is not of the form `provider:name`$/],
    [
      '{"models": {"openai:gpt-5": {"price": {"input": "1", "output": 2}}}}',
      /^models\["openai:gpt-5"\]\.price\.input: .*number/,
    ],
    ['{"models": {"a:b": {"price": {"input": -1, "output": 2}}}}', /price\.input: /],
    ['{"models": {"a:b": {"prise": {"input": 1, "output": 2}}}}', /models\["a:b"\]: .*prise/],
    ['{"models": {"a:b": {"contextWindow": 1.5}}}', /models\["a:b"\]\.contextWindow: /],
    ['{"models": {"a:1": 1, "a:2": 2, "a:3": 3, "a:4": 4, "a:5": 5}}', /; and 2 more$/],
  ])('says where %s is wrong', (json, words) => {
    expect(() => readPriceList(json)).toThrow(words);
  });

  it.each([
    '{"SECRET": 1}',
    '{"models": {"SECRET": {}}}',
    '{"models": {"openai:gpt-5": {"SECRET": 1}}}',
    '{"models": {"openai:gpt-5": {"price": {"SECRET": 1}}}}',
    '{"models": {}, "asOf": "SECRET", "source": ["SECRET"]}',
    '{"models": "SECRET"}',
  ])('repeats no secret of a file that is no price list: %s', (json) => {
    const secret = 'sk-proj-Zebrafish0123456789';
    const reading = () => readPriceList(json.replaceAll('SECRET', secret));
    expect(reading).toThrow(/^(?:the file|models|asOf)/);
    expect(reading).not.toThrow(secret);
  });
});

describe('the cost of a reply', () => {
  const price = { input: 2, cached: 0.2, written: 2.5, output: 10 };

  it('counts each token once, at its own rate', () => {
    const used = usage({ input: 1_000_000, cached: 600_000, written: 100_000, output: 10_000 });
    expect(costOf(used, price)).toBeCloseTo(0.6 + 0.12 + 0.25 + 0.1, 10);
  });

  it('holds reasoning as a part of the output', () => {
    const used = usage({ output: 1_000_000, reasoning: 900_000 });
    expect(costOf(used, price)).toBe(10);
  });

  it('takes the rate of input for what has none of its own', () => {
    const used = usage({ input: 1_000_000, cached: 500_000, written: 500_000 });
    expect(costOf(used, { input: 3, output: 15 })).toBe(3);
  });

  it('is that of a long request, whole, only above the mark', () => {
    const longInput = { above: 200_000, input: 4, cached: 0.4, output: 18 };
    const output = 100_000;
    const at = (input: number) => costOf(usage({ input, output }), { ...price, longInput });
    expect(at(200_000)).toBeCloseTo(0.4 + 1, 10);
    expect(at(200_001)).toBeCloseTo(0.800004 + 1.8, 10);
  });

  it('is never below nothing, however a server counts', () => {
    expect(costOf(usage({ input: 10, cached: 20 }), price)).toBeGreaterThan(0);
  });
});
