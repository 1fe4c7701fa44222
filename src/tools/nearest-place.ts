import { splitLines } from './text-file.ts';

const MAX_COMPARED = 2_000_000;
const MAX_SHOWN_LINES = 12;
const MAX_SHOWN_CHARACTERS = 2000;

/** Why `wanted` was not found in `text`, in words for the model, with the nearest place. */
export function explainMiss(text: string, wanted: string): string {
  const wantedLines = splitLines(wanted);
  if (wantedLines.every((line) => /^\d+\t/.test(line)))
    return 'old_text holds the line numbers of the listing. Leave them and the tab out.';
  const lines = splitLines(text);
  const place = nearestPlace(lines, wantedLines);
  if (place === undefined)
    return 'old_text is not in the file, nor anything like it. Read the file again.';
  const { start, equal } = place;
  const why =
    equal === wantedLines.length
      ? 'old_text differs from the file in white space only'
      : `old_text is not in the file; ${equal} of its ${wantedLines.length} lines are alike`;
  const end = Math.min(start + wantedLines.length, start + MAX_SHOWN_LINES);
  const shown = lines.slice(start, end).join('\n').slice(0, MAX_SHOWN_CHARACTERS);
  return `${why}. The nearest place, from line ${start + 1}, reads exactly:\n${shown}`;
}

/** The window with the most lines that are equal but for white space. */
function nearestPlace(
  lines: readonly string[],
  wanted: readonly string[],
): { start: number; equal: number } | undefined {
  if (lines.length * wanted.length > MAX_COMPARED) return undefined;
  const squeezed = lines.map(squeeze);
  const wantedSqueezed = wanted.map(squeeze);
  let best = { start: 0, equal: 0 };
  for (let start = 0; start < lines.length; start += 1) {
    const equal = wantedSqueezed.filter(
      (line, offset) => line !== '' && line === squeezed[start + offset],
    ).length;
    if (equal > best.equal) best = { start, equal };
  }
  if (best.equal === 0) return undefined;
  const blank = wantedSqueezed.filter((line) => line === '').length;
  return { start: best.start, equal: best.equal + blank };
}

const squeeze = (line: string): string => line.replaceAll(/\s+/g, ' ').trim();
