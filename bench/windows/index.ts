// What small context windows cost: one task, which reads 141 kB, in windows that do not hold it.
import { FACTS, playReading } from '../../test/support/reading-task.ts';

const WINDOWS = [8_192, 16_384, 32_768, 131_072];

export async function benchWindows(): Promise<string> {
  const rows: string[] = [];
  for (const isUnknown of [false, true])
    for (const window of WINDOWS) {
      const figures = await playReading({ window, isUnknown });
      const { end, facts, requests, summaries, largest, rejected, reads } = figures;
      const cells = [
        `${window}${isUnknown ? ', unknown' : ''}`,
        `${end.kind}, ${facts} of ${FACTS} facts`,
        requests,
        summaries,
        reads,
        largest,
        rejected,
      ];
      rows.push(`| ${cells.join(' | ')} |`);
    }
  return [
    '| window | end | requests | summaries | reads | largest request | rejected |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
