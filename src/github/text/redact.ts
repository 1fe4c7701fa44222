import type { Redactor } from '../../lib/text/redact.ts';

const ESCAPE = /\\(?=[!-/:-@[-`{-~])/g;

/**
 * Redacts Markdown. Markdown hides the backslashes of `ghp\_…`: a text loses all of them if they split a secret
 * that is not found otherwise.
 */
export function redactMarkdown(markdown: string, { redact }: Pick<Redactor, 'redact'>): string {
  const redacted = redact(markdown);
  if (!redacted.includes('\\')) return redacted;
  return asSeen(redacted.replaceAll(/[^\n]+/g, asSeen));

  function asSeen(text: string): string {
    const plain = text.replaceAll(ESCAPE, '');
    const again = redact(plain);
    return again === plain ? text : again;
  }
}
