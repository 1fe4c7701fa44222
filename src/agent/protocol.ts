import type { Call } from './entries.ts';
import type { Tool } from './tool.ts';

/** A reply as a protocol understands it. With a `fault` there are no calls. */
export interface Reading {
  readonly thought: string;
  readonly calls: readonly Call[];
  readonly fault: string | null;
}

export interface CallOutcome {
  readonly tool: string;
  readonly ok: boolean;
  readonly output: string;
}

/** How a model is asked to call tools, and how its replies are read. Pure; `read` never throws. */
export interface Protocol {
  readonly name: string;
  /** The part of the system prompt that names the tools and the form of a reply. */
  instructions(tools: readonly Tool[]): string;
  read(text: string, cut: boolean): Reading;
  /** The message that brings the results of a reply's calls. */
  results(outcomes: readonly CallOutcome[]): string;
  /** The message that tells what was wrong with a reply. */
  correction(fault: string): string;
}
