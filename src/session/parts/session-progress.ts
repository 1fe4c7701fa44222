/** How far the agent has come, counted as it goes: nobody has to read its steps again to know. */
export interface SessionProgress {
  /** Replies of the model, in all runs. */
  readonly replies: number;
  /** When the agent did its last step, in any run (ISO); empty before the first. */
  readonly steppedAt: string;
  /** By the latest run. Of replies whose price is not known, only the tokens are counted. */
  readonly used: { readonly turns: number; readonly tokens: number; readonly dollars: number };
  /** Replies of the latest run, up to the last, whose form was wrong. */
  readonly faultsInARow: number;
  /** A call of the latest run changed files. */
  readonly hasChangedFiles: boolean;
  /** Milliseconds of work on the latest run, before it was last resumed. */
  readonly workedMs: number;
  /** When it was started or last resumed (ISO); empty before the first run. */
  readonly workingSince: string;
}
