// What the service tells the model between two turns, without being asked.

export interface NearlyUsed {
  /** "50 model replies for one run" */
  readonly name: string;
  readonly percent: number;
}

export const wrapUp = ({ name, percent }: NearlyUsed): string =>
  `(${percent} % of the limit of ${name} is used. Wrap up now: finish the step you are in, leave the rest out, commit, and call finish with a summary that says what is done and what is left.)`;

export const PLAN_FIRST =
  '(The plan comes first here: until people have agreed to it, you can look and ask, but not change anything. Find out what has to be done, then call update_plan with all the steps, so that people can judge them; that ends this run. Their answer comes as a message. If they want something else, call update_plan again. If nothing has to be done, or it cannot be done, call finish and say why.)';

/** `form`: the repository's template, from the file `path`. */
export const pullRequestTemplate = (path: string, form: string): string =>
  `(Pull requests here follow the form in \`${path}\`. Give create_pull_request a body that fills it in: keep its headings, and leave a box unticked for what was not done. The form:)\n\n${form}`;

/** How the instructions for a folder begin; a blank line and their text follow. */
export const folderInstructions = (folder: string, path: string): string =>
  `Instructions for the folder \`${folder}\`, from \`${path}\` on the default branch. They add to those of the repository, and take precedence where they differ.`;

export const notAFile = (path: string): string =>
  `(Not shown: \`${path}\` is not a file, or is too long to be read at once.)`;

export const noRoomFor = (path: string): string =>
  `(Not shown, because all files together would be too long. It is in ${restOf(path)}.)`;

export const cutAfter = (path: string, kept: number, bytes: number): string =>
  `(Cut here, after ${kept} of ${bytes} bytes. The rest is in ${restOf(path)}.)`;

const restOf = (path: string): string => `\`${path}\`: read it there if it applies to your work`;
