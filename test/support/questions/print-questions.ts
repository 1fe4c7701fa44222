// Prints what it takes to answer each question about the code: `npm run questions`.
import { filesOf, findSymbols, QUESTIONS, type Question } from './questions.ts';

function printed(question: Question): string {
  const { target, most, once, symbols } = question;
  const all = findSymbols(question);
  const files = filesOf(all);
  const lines = all.found.reduce((sum, one) => sum + one.lines, 0);
  return [
    `# ${question.question}`,
    question.answer,
    `${files.size} files (at most ${most}; wanted: ${target}; once: ${once}), ${lines} lines of declarations`,
    ...[...files].flatMap(([file, declared]) => [
      `  ${file}`,
      ...declared.map(
        ({ symbol, lines: own }) =>
          `    ${symbol.split('#').at(-1)} (${own}): ${symbols[symbol] ?? ''}`,
      ),
    ]),
    ...all.missing.map((symbol) => `  MISSING: ${symbol}`),
  ].join('\n');
}

process.stdout.write(`${QUESTIONS.map(printed).join('\n\n')}\n`);
