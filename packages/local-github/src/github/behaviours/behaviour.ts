// What a row in the table of GitHub's behaviours says.

/**
 * `documented`: GitHub says so. `reported`: others saw it, or quote GitHub's support. `unproven`: no source confirms
 * it, so the local GitHub may be wrong there.
 */
type Standing = 'documented' | 'reported' | 'unproven';

export interface Behaviour {
  /** One sentence. */
  readonly says: string;
  readonly standing: Standing;
  /** URLs, or threads as `owner/repository#number`. Those of an unproven behaviour do not settle it. */
  readonly sources: readonly string[];
  /** The day on which the sources were read, or looked for. */
  readonly read: string;
}

type Sources = readonly [string, ...string[]];

export const documented = (says: string, read: string, ...sources: Sources): Behaviour => ({
  says,
  standing: 'documented',
  sources,
  read,
});

export const reported = (says: string, read: string, ...sources: Sources): Behaviour => ({
  says,
  standing: 'reported',
  sources,
  read,
});

export const unproven = (says: string, read: string, ...sources: string[]): Behaviour => ({
  says,
  standing: 'unproven',
  sources,
  read,
});
