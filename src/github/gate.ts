// What every write to GitHub goes through: its text is cleaned, and nothing is made twice.
import type { ProbotOctokit } from 'probot';
import type { Redactor } from '../lib/text/redact.ts';
import { CUT_MARK, cutCharacters } from '../lib/text/text.ts';
import type { RepositoryRef } from '../contracts/intent.ts';
import { hasUnseen } from '../lib/text/invisible.ts';
import {
  codeBlock,
  type Body,
  type Section,
  type VerbatimText,
} from '../session/texts/markdown.ts';
import { ResponseLost } from './errors.ts';
import type { AppIdentity } from './access/app-identity.ts';
import type { AllowedReferences } from './text/harmless.ts';
import type { AllowsHost } from './text/links.ts';
import type { CheckRendering } from './text/rendering-check.ts';
import { asCode, makeSafe, ownWords, plainText } from './text/safe.ts';

/** What the writers of this folder share. */
export interface Gate {
  readonly octokit: ProbotOctokit;
  /** What resolves review threads: it may write to the contents too. */
  readonly threads: ProbotOctokit;
  /** What takes pull requests out of draft, and has GitHub merge them when they are ready: likewise. */
  readonly ready: ProbotOctokit;
  /** With the optional permissions, as far as they are granted, and no others: ask `lacking` first. */
  readonly checks: ProbotOctokit;
  readonly repository: RepositoryRef;
  readonly redactor: Redactor;
  /** The hosts that links and images may lead to. */
  readonly links: AllowsHost;
  /** How GitHub shows what a model wrote. */
  readonly check: CheckRendering;
  readonly identity: () => Promise<AppIdentity>;
}

export interface PublicText extends MarkerKey, Pick<AllowedReferences, 'mentions' | 'closes'> {
  readonly body: Body;
  /** Characters of GitHub's limit that are not for it. */
  readonly taken?: number;
  /** Where all of it can be read, should it be too long for GitHub. */
  readonly whole?: string | undefined;
}

/** What makes a text safe. */
export type Cleaner = Pick<Gate, 'redactor' | 'links' | 'check'>;

/** GitHub's limit for the bodies of comments, issues and pull requests. */
export const LONGEST_BODY = 65_536;
const LONGEST_TITLE = 256;
const BETWEEN = '\n\n';

/**
 * The text as it may be published, with its marker at the end.
 * @throws {TryLater} if GitHub cannot render what a model wrote
 */
export async function publicBody(text: PublicText, cleaner: Cleaner): Promise<string> {
  const { mentions, closes, body } = text;
  const longest = LONGEST_BODY - (text.taken ?? 0);
  const end = BETWEEN + markerOf(text);
  const allowed = { mentions, closes, links: cleaner.links };
  const safe = new Map<Section, string>();
  let taken = end.length - BETWEEN.length;
  for (const section of body) {
    if (typeof section === 'string')
      safe.set(section, ownWords(section, allowed, cleaner.redactor));
    else if ('code' in section) safe.set(section, verbatim(section, allowed, cleaner));
    taken += (safe.get(section)?.length ?? 0) + BETWEEN.length;
  }
  const written = body.filter((section) => typeof section !== 'string' && 'text' in section);
  const pieces = written.map((section) =>
    section.limit === undefined
      ? { ...section, limit: longest - taken, cutMark: cutMark(text) }
      : { ...section, limit: section.limit, cutMark: CUT_MARK },
  );
  const texts = await makeSafe(pieces, allowed, cleaner);
  for (const [at, section] of written.entries()) safe.set(section, texts[at] ?? '');
  const all = body
    .map((section) => safe.get(section) ?? '')
    .filter((section) => section !== '')
    .join(BETWEEN);
  // Each section has a limit of its own, so that this holds unless what is in them was made to grow.
  const room = { limit: longest - end.length, cutMark: cutMark(text) };
  return (all.length <= room.limit ? all : asCode(all, room, cleaner.redactor)) + end;
}

/**
 * In a block of code nothing acts on GitHub, as long as it is no commit message: a squash merge makes one of the body
 * of a pull request, which may close issues.
 */
function verbatim(
  section: VerbatimText,
  allowed: AllowedReferences,
  { redactor }: Cleaner,
): string {
  const block = codeBlock(redactor.redact(section.code), section.language);
  const isSafe = allowed.closes === undefined && !hasUnseen(block);
  return isSafe ? block : ownWords(block, allowed, redactor);
}

const cutMark = ({ whole }: PublicText): string =>
  whole === undefined
    ? CUT_MARK
    : `\n\n… (cut here: the rest was too long for GitHub; [read all of it here](${whole}))`;

/** A title: one line, cleaned like a body. */
export function publicTitle(title: string, { redactor }: Pick<Gate, 'redactor'>): string {
  const line = plainText(title, redactor).replaceAll(/\s+/g, ' ').trim();
  return cutCharacters(line, LONGEST_TITLE, '…') || 'Untitled';
}

/**
 * The rule of every write that creates something: look for it first, and look again if the response was lost.
 */
export async function createOnce<T>(steps: {
  readonly lookUp: () => Promise<T | undefined>;
  readonly create: () => Promise<T>;
}): Promise<T> {
  return (await steps.lookUp()) ?? verifyAfterLostResponse(steps.create, steps.lookUp);
}

/** The result of the write or, if its response was lost, what a look-up finds. */
export async function verifyAfterLostResponse<T>(
  write: () => Promise<T>,
  lookUp: () => Promise<T | undefined>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const found = error instanceof ResponseLost ? await lookUp() : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

// The hidden line by which the App recognises its own texts. Anyone can paste one, so it only counts in a
// text whose author is the App.

/** Identifies a text of a session. `key` is unique within it, such as `status` or `question:3`. */
export interface MarkerKey {
  readonly session: string;
  readonly key: string;
}

const SESSION = /^[\w.-]{1,100}$/;
const KEY = /^[\w.:-]{1,150}$/;

/** @throws {RangeError} if the session or key is not a plain word; both come from our own code */
export function markerOf({ session, key }: MarkerKey): string {
  if (!SESSION.test(session) || !KEY.test(key))
    throw new RangeError(`no marker can be made of "${session}" and "${key}"`);
  return `<!-- issuewright:${session}:${key} -->`;
}

/** At the end of a comment that says how a session is; its first group is the session. */
export const STATUS_COMMENT = /<!-- issuewright:([\w.-]{1,100}):status -->\s*$/;

export const endsWithMarker = (body: string | null | undefined, marker: string): boolean =>
  body?.trimEnd().endsWith(marker) === true;

/** The parts of GitHub's comment that say who wrote it. */
interface AuthoredText {
  readonly user?: { readonly login: string; readonly type: string } | null;
  readonly performed_via_github_app?: { readonly id: number } | null;
}

/** Whether the App itself wrote it: a person who acts through the App is not the App. */
export function isByApp(
  { user, performed_via_github_app: app }: AuthoredText,
  by: AppIdentity,
): boolean {
  return user?.type === 'Bot' && (app?.id === by.appId || user.login === by.login);
}

const ANY_MARKER = /<!-- issuewright:[\w.-]{1,100}:[\w.:-]{1,150} -->/;

/** The same, with a person's token too: what we wrote with that has a marker, and what the person wrote has none. */
export const isOwn = (
  written: AuthoredText & { readonly body?: string | null | undefined },
  by: AppIdentity,
): boolean =>
  isByApp(written, by) || (written.user?.login === by.login && ANY_MARKER.test(written.body ?? ''));
