const MAX_LINE_CHARACTERS = 300;

/** Lines as `read_file` shows them, but that long ones are cut. */
export const numbered = (lines: readonly string[], start: number): string =>
  lines.map((line, index) => `${start + index}\t${cutLine(line)}`).join('\n');

export const cutLine = (line: string): string =>
  line.length > MAX_LINE_CHARACTERS
    ? `${line.slice(0, MAX_LINE_CHARACTERS - 1).toWellFormed()}…`
    : line;
