const FENCE = '```';

/** The content of a text that is one fenced code block; any other text unchanged. */
export function withoutFence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith(FENCE) || !trimmed.endsWith(FENCE)) return trimmed;
  const firstLine = trimmed.indexOf('\n');
  return firstLine < 0 ? trimmed : trimmed.slice(firstLine + 1, -FENCE.length).trim();
}
