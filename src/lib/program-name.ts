// How texts for whoever runs this program spell its commands.

/** What a shell takes as it is; npm's own word may come first. */
const PLAIN = /^(?:npx )?[\w./+@:~-]+$/;

let program = 'issuewright';

/** Called once, before any text is made. `calledAs`: how the launcher was called, such as `./issuewright`. */
export function useProgramName(calledAs: string | undefined): void {
  if (calledAs !== undefined && PLAIN.test(calledAs)) program = calledAs;
}

/** As its reader can type it: `./issuewright doctor --fix` in a clone. Without words, the program alone. */
export const spellCommand = (words = ''): string => `${program} ${words}`.trimEnd();
