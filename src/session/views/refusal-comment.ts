import { code, mention } from './markdown.ts';

/** The answer to a person who asked for work and may not. Markdown. */
export function refusalComment(login: string, label: string): string {
  return `${mention(login)} Thank you, but work here starts only for people with write access to this repository, because it spends the owner's budget and pushes a branch. Nothing was started. If you would like it done, ask a maintainer to remove the label ${code(label)} and add it again.`;
}
