import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { filesOf, findSymbols, QUESTIONS, type Question } from '../support/questions/questions.ts';

/** What is wrong with a question: symbols that are gone, files beyond its limit, or a limit that is higher than it has to be. */
function faultsOf(question: Question): readonly string[] {
  const { target, most } = question;
  const all = findSymbols(question);
  const { size } = filesOf(all);
  const least = Math.max(target, size);
  return [
    ...all.missing.map((symbol) => `there is no ${symbol}`),
    ...(size > most ? [`it takes ${size} files, more than ${most}`] : []),
    ...(least < most ? [`it takes ${size} files: lower its limit to ${least}`] : []),
  ];
}

const about = (symbols: readonly string[], most: number, target = 1): readonly string[] =>
  faultsOf({
    question: 'How?',
    answer: 'So.',
    target,
    most,
    once: 9,
    symbols: Object.fromEntries(symbols.map((symbol) => [symbol, 'says it'])),
  });

describe('a question about the code', () => {
  it.each(QUESTIONS.map((question) => [question.question, question] as const))(
    'takes no more files than it did, of symbols that exist: %s',
    (_words, question) => {
      expect(Object.keys(question.symbols).length).toBeGreaterThan(10);
      expect(faultsOf(question)).toEqual([]);
    },
  );

  it('is printed with its files, and what each of their symbols says', () => {
    const program = 'test/support/questions/print-questions.ts';
    const printed = execFileSync(process.execPath, [program], { encoding: 'utf8' });
    for (const { question } of QUESTIONS) expect(printed).toContain(`# ${question}\n`);
    expect(printed).toMatch(/^ {2}src\/agent\/loop\.ts\n {4}runLoop \(\d+\): every way out/m);
  });

  it('counts each file once, of exported and of private symbols', () => {
    expect(about(['runLoop', 'src/agent/loop.ts#endOf', 'LoopEnd'], 2)).toEqual([]);
  });

  it('misses a symbol that is gone, in a file that is there or not', () => {
    const gone = ['walkOnWater', 'src/agent/loop.ts#walk', 'src/agent/water.ts#walk'];
    const faults = gone.map((symbol) => `there is no ${symbol}`);
    expect(about(['runLoop', ...gone], 1)).toEqual(faults);
  });

  it('must not take more files than its limit', () => {
    expect(about(['runLoop', 'LoopEnd'], 1)).toEqual(['it takes 2 files, more than 1']);
  });

  it('has the least limit that it keeps, and its target once that is met', () => {
    expect(about(['runLoop'], 3)).toEqual(['it takes 1 files: lower its limit to 1']);
    expect(about(['runLoop'], 3, 3)).toEqual([]);
  });
});
