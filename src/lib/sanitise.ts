// Makes text that a model or a stranger wrote fit for being published under the App's name.
//
// - Invisible, bidirectional and control characters go.
// - HTML comments go, so that nobody forges the marker by which the App knows its own comments;
//   any other `<!` or `<?` becomes `‹!`, `‹?`, in code too: no text that leaves here holds one.
// - Mentions notify nobody, closing words close nothing.
// - Where it is told which hosts links may lead to: other links, images and HTML are plain text.
//
// What one step uncovers the next round removes: cleaning a clean text changes nothing. It takes time
// linear in the text's length.
import { withoutClosing } from './sanitise/closing.ts';
import { withoutComments } from './sanitise/comments.ts';
import { withoutInvisible } from './sanitise/invisible.ts';
import { withoutForeignLinks, type AllowsHost } from './sanitise/links.ts';
import { withoutMentions } from './sanitise/mentions.ts';

export interface SanitiseOptions {
  /** Logins that may be notified. */
  readonly mentions?: readonly string[];
  /** The one issue that the text may close, as `#number`. */
  readonly closes?: number | undefined;
  /** For Markdown: the hosts that links and images may lead to. Without it they stay as they are. */
  readonly links?: AllowsHost | undefined;
}

/** Texts that were not made to resist need two. */
const MOST_ROUNDS = 6;

export function sanitise(text: string, options: SanitiseOptions = {}): string {
  const allowed = new Set((options.mentions ?? []).map((login) => login.toLowerCase()));
  let clean = text;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = clean;
    clean = cleaned(before, options, allowed);
    if (clean === before) return clean;
  }
  // It resists: without the signs of code there is nothing that means one thing here and another there.
  return cleaned(clean.replaceAll('`', 'ˋ').replaceAll('~~~', '∼∼∼'), options, allowed);
}

function cleaned(text: string, options: SanitiseOptions, allowed: ReadonlySet<string>): string {
  const plain = withoutComments(withoutInvisible(text)).replaceAll(/<(?=[!?])/g, '‹');
  const harmless = withoutClosing(plain, options.closes);
  const linked =
    options.links === undefined ? harmless : withoutForeignLinks(harmless, options.links);
  return withoutMentions(linked, allowed);
}
