// What beliefs about GitHub are asked with, and what came of them.
import { setTimeout as pause } from 'node:timers/promises';
import type { Purpose } from '../../github/access/permissions.ts';
import type { SentDeliveries } from '../../contracts/delivery.ts';
import type { RepositoryRef } from '../../contracts/intent.ts';
import type { Asker, GitHubAnswer } from './ask-github.ts';
import { reasonOf } from '../../lib/reason.ts';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** Something that the service relies on, and how this GitHub is asked whether it is so. */
export interface Belief {
  /** The same as in the table of rules, if that has it. Never changes: reports of others name it. */
  readonly id: string;
  /** One sentence. */
  readonly says: string;
  /** Where it is written: an address, `owner/name#number`, or `unproven`. */
  readonly source: string;
  /** @throws {BeliefRefuted} if it is not so @throws {NotAsked} if this cannot be found out here */
  ask(proof: Proof): Promise<void>;
}

/** `number`: in its repository. `id`: on all of GitHub. */
export interface OpenedIssue {
  readonly number: number;
  readonly id: number;
}

export interface Branch {
  readonly name: string;
  readonly sha: string;
}

/** What beliefs are tried on: branches, a pull request and a review. */
export interface Scenery {
  /** A branch at the head of the default branch. */
  base(): Promise<Branch>;
  /** The same with one more commit. */
  change(): Promise<Branch>;
  /** A draft of the second one into the first. */
  pull(): Promise<{ readonly number: number; readonly node: string }>;
  /** A person's review of it, with a comment on a line. */
  review(): Promise<{ readonly comment: number; readonly node: string; readonly thread: string }>;
  /** A person's pull request of another branch, with the App's request for changes, which has a suggestion. */
  reviewed(): Promise<{
    readonly number: number;
    readonly review: number;
    readonly thread: string;
  }>;
  /** The App's comment on the issue. */
  comment(): Promise<{ readonly id: number; readonly body: string }>;
  /** A check run of the commit. */
  checkRun(): Promise<number>;
  /** An issue that the App opened. */
  opened(): Promise<OpenedIssue>;
  /** It, with two more issues of the App as its sub-issues, in this order. */
  parent(): Promise<OpenedIssue & { readonly children: readonly [OpenedIssue, OpenedIssue] }>;
  /** The commit of the merged pull request. */
  merged(): Promise<string>;
}

/** The work on the issue, by the service. */
export interface Story {
  /** The label that starts it. */
  readonly label: string;
  /** The file that the issue asks for. */
  readonly path: string;
  /** Whether the default branch is the proof's own, so that the pull request may be merged. */
  readonly isMerged: boolean;
  /** The pull request, and its first head, once it is there. */
  pull?: { readonly number: number; readonly head: string };
}

export interface Proof {
  /** In the names of all that is made. */
  readonly id: string;
  readonly repository: RepositoryRef;
  /** GitHub's list of deliveries to the App. */
  readonly deliveries: SentDeliveries;
  /** `slug[bot]` */
  readonly appLogin: string;
  readonly personLogin: string;
  /** The person's account that stands for the App, in lower case. */
  readonly assignee: string | undefined;
  /** Permissions of the installation, such as `checks: write`. */
  readonly granted: Readonly<Record<string, string>>;
  /** The issue that the person opened. */
  readonly issue: number;
  /** When it was opened, by GitHub's clock. */
  readonly since: Date;
  /** In the name of the person. */
  readonly person: Asker;
  /** In the name of the App, with the token that the service mints for that purpose. */
  readonly app: (purpose: Purpose) => Asker;
  readonly scenery: Scenery;
  readonly story: Story;
  /** Asks again and again, once a second. @throws {BeliefRefuted} if that takes too long */
  readonly until: <T>(
    what: string,
    look: () => Promise<T | undefined>,
    seconds?: number,
  ) => Promise<T>;
}

/** GitHub does otherwise. What it answered last is shown with it. */
export class BeliefRefuted extends Error {
  override readonly name = 'BeliefRefuted';
  /** The one that shows it, if that is not GitHub's last answer. */
  readonly answer: GitHubAnswer | undefined;

  constructor(message: string, answer?: GitHubAnswer) {
    super(message);
    this.answer = answer;
  }
}

/** This belief cannot be tried here. The message says what it lacks. */
export class NotAsked extends Error {
  override readonly name = 'NotAsked';
}

/** @throws {BeliefRefuted} unless GitHub accepted the request */
export function requireAccepted(answer: GitHubAnswer): GitHubAnswer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new BeliefRefuted('GitHub denied it', answer);
}

/** @throws {BeliefRefuted} unless GitHub denied the request, in one of these ways */
export function requireDenied(answer: GitHubAnswer, ...statuses: readonly number[]): GitHubAnswer {
  if (statuses.includes(answer.status)) return answer;
  const isDenied = answer.status === 0 || answer.status >= 300;
  const how = `${statuses.join(' or ')} was expected`;
  throw new BeliefRefuted(
    isDenied ? `GitHub denied it in another way: ${how}` : `GitHub accepted it: ${how}`,
    answer,
  );
}

/** @throws {BeliefRefuted} with `otherwise`, what GitHub did instead */
export function requireThat(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new BeliefRefuted(otherwise);
}

const EVERY_MS = 1000;
const PATIENCE_S = 180;

/** `signal`: ends all waits. */
export const untilWith =
  (signal: AbortSignal): Proof['until'] =>
  async (what, look, seconds = PATIENCE_S) => {
    for (const end = Date.now() + seconds * 1000; ;) {
      const found = await look();
      if (found !== undefined) return found;
      if (Date.now() > end) throw new BeliefRefuted(`there is no ${what} after ${seconds} s`);
      await pause(EVERY_MS, undefined, { signal });
    }
  };

export interface BeliefVerdict {
  readonly belief: Belief;
  readonly state: 'holds' | 'wrong' | 'not asked';
  /** Why it is wrong, or was not asked. */
  readonly why: string;
  /** What GitHub answered last. */
  readonly answer: GitHubAnswer | undefined;
}

export interface AnswerListener {
  /** What GitHub answered since the belief began. */
  readonly last: () => GitHubAnswer | undefined;
  /** Another belief begins. */
  readonly begin: (id: string) => void;
  readonly signal: AbortSignal;
  /** Told of each verdict. */
  readonly tell: (verdict: BeliefVerdict) => void;
}

/** Those after one that is wrong are asked too, if they do not need it. */
export async function askBeliefs(
  beliefs: readonly Belief[],
  proof: Proof,
  hearing: AnswerListener,
): Promise<void> {
  for (const belief of beliefs) {
    hearing.signal.throwIfAborted();
    hearing.begin(belief.id);
    hearing.tell(await verdictOn(belief, proof, hearing));
  }
}

async function verdictOn(
  belief: Belief,
  proof: Proof,
  { last, signal }: AnswerListener,
): Promise<BeliefVerdict> {
  try {
    await belief.ask(proof);
    return { belief, state: 'holds', why: '', answer: last() };
  } catch (error) {
    if (signal.aborted) throw error;
    const state = error instanceof NotAsked ? 'not asked' : 'wrong';
    const isKnown = error instanceof NotAsked || error instanceof BeliefRefuted;
    const answer = error instanceof BeliefRefuted ? (error.answer ?? last()) : last();
    return { belief, state, why: isKnown ? error.message : reasonOf(error), answer };
  }
}

// When a proof was made last, and what came of it, for `issuewright doctor`.

const LastProof = z.object({
  /** ISO time. */
  at: z.iso.datetime(),
  version: z.string(),
  held: z.number(),
  /** Ids of beliefs. */
  wrong: z.array(z.string()),
});
export type LastProof = z.infer<typeof LastProof>;

const fileIn = (dataDir: string): string => join(dataDir, 'proof.json');

export async function keepProof(dataDir: string, proof: LastProof): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFile(fileIn(dataDir), `${JSON.stringify(proof, undefined, 2)}\n`, { mode: 0o600 });
}

/** `undefined`: none was made, or the file is no proof. */
export async function lastProof(dataDir: string): Promise<LastProof | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => '');
  try {
    return LastProof.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
