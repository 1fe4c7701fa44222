import { COMMANDS } from '../asks.ts';
import { code, sections } from './markdown.ts';

/** What people can ask for, and how. Markdown. */
export const helpComment = (): string =>
  sections(
    'On a line of its own in a comment, each of these is a command. Mentioning this App in place of `/issuewright` does the same.',
    [...COMMANDS].map(([name, does]) => `- ${code(`/issuewright ${name}`)}: ${does}`).join('\n'),
    '`cancel`, `abort` and `halt` mean `stop`; `continue` and `unpause` mean `resume`. A reason may follow: `/issuewright stop, wrong approach`.',
    'Anything else after `/issuewright`, and a comment that mentions this App, is work to do: it starts here, or joins the work that goes on. Work that begins with the word `stop` or `pause` is asked for by mention: after `/issuewright` it starts nothing. Removing the label or closing the issue stops it too.',
  );
