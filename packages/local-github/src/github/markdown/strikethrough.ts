// GitHub's strikethrough: one or two tildes, the same number on both sides.
import type { Delimiter, MarkdownIt, StateInline } from 'markdown-it';

const TILDE = 0x7e;
/** Values that are not character codes, so that one tilde never closes two. */
const MARKERS = [0x110001, 0x110002] as const;

export function addStrikethrough(parser: MarkdownIt): void {
  parser.inline.ruler.at('strikethrough', readTildes);
  parser.inline.ruler2.at('strikethrough', (state) => {
    strike(state, state.delimiters);
    for (const meta of state.tokens_meta) if (meta?.delimiters) strike(state, meta.delimiters);
    return false;
  });
}

function readTildes(state: StateInline, silent: boolean): boolean {
  if (silent || state.src.charCodeAt(state.pos) !== TILDE) return false;
  const { length, can_open: open, can_close: close } = state.scanDelims(state.pos, true);
  const token = state.push('text', '', 0);
  token.content = '~'.repeat(length);
  const marker = MARKERS[length - 1];
  if (marker !== undefined)
    state.delimiters.push({
      marker,
      length: 0,
      token: state.tokens.length - 1,
      end: -1,
      open,
      close,
    });
  state.pos += length;
  return true;
}

function strike(state: StateInline, delimiters: readonly Delimiter[]): void {
  for (const start of delimiters) {
    const end = delimiters[start.end];
    if (end === undefined || !MARKERS.some((marker) => marker === start.marker)) continue;
    for (const [at, type, nesting] of [
      [start.token, 's_open', 1],
      [end.token, 's_close', -1],
    ] as const) {
      const token = state.tokens[at];
      if (token !== undefined) Object.assign(token, { type, tag: 'del', nesting, content: '' });
    }
  }
}
