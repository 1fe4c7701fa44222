// What every write to GitHub goes through: its text is cleaned, and nothing is made twice.
import type { ProbotOctokit } from 'probot';
import { cutMarkdown } from '../lib/markdown-cut.ts';
import type { Redactor } from '../lib/redact.ts';
import { sanitise, type SanitiseOptions } from '../lib/sanitise.ts';
import type { AllowsHost } from '../lib/sanitise/links.ts';
import { CUT_MARK, cutCharacters } from '../lib/text.ts';
import type { RepositoryRef } from '../session/entries/intent.ts';
import { AnswerLost } from './errors.ts';
import type { Identity } from './identity.ts';
import { markerOf, type MarkerKey } from './marker.ts';

/** What the writers of this folder share. */
export interface Gate {
  readonly octokit: ProbotOctokit;
  readonly repository: RepositoryRef;
  readonly redactor: Redactor;
  /** The hosts that links and images may lead to. */
  readonly links: AllowsHost;
  readonly identity: () => Promise<Identity>;
}

export interface Text extends MarkerKey, Omit<SanitiseOptions, 'links'> {
  readonly body: string;
  /** Where all of it can be read, should it be too long for GitHub. */
  readonly whole?: string | undefined;
}

type Cleaner = Pick<Gate, 'redactor' | 'links'>;

/** GitHub's limit for the bodies of comments, issues and pull requests. */
const LONGEST_BODY = 65_536;
const LONGEST_TITLE = 256;

/** The text as it may stand on GitHub, with its marker at the end. */
export function publicBody(text: Text, { redactor, links }: Cleaner): string {
  const end = `\n\n${markerOf(text)}`;
  // Twice: cleaning changes what a secret is known by, and uncovers what hid behind invisible signs.
  const sanitised = (body: string): string => sanitise(body, { ...text, links });
  const seen = redactedAsSeen(sanitised(redactedAsSeen(text.body, redactor)), redactor);
  const clean = redactor.redact(sanitised(seen));
  return cutMarkdown(clean.trimEnd(), LONGEST_BODY - end.length, cutMark(text)) + end;
}

const ESCAPE = /\\(?=[!-/:-@[-`{-~])/g;

/**
 * Markdown does not show the backslashes of `ghp\_…`. A text loses all of them where they part a secret
 * that is not seen for one else.
 */
function redactedAsSeen(body: string, { redact }: Redactor): string {
  const redacted = redact(body);
  if (!redacted.includes('\\')) return redacted;
  return asSeen(redacted.replaceAll(/[^\n]+/g, asSeen));

  function asSeen(text: string): string {
    const plain = text.replaceAll(ESCAPE, '');
    const again = redact(plain);
    return again === plain ? text : again;
  }
}

const cutMark = ({ whole }: Text): string =>
  whole === undefined
    ? CUT_MARK
    : `\n\n… (cut here: the rest was too long for GitHub; [all of it stands here](${whole}))`;

/** A title: one line, cleaned like a body. */
export function publicTitle(title: string, { redactor }: Pick<Cleaner, 'redactor'>): string {
  const line = redactor
    .redact(sanitise(redactor.redact(title)))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return cutCharacters(line, LONGEST_TITLE, '…') || 'Untitled';
}

/**
 * The rule of every write that makes something: look for it first, and look again where it is not
 * known whether it landed.
 */
export async function createOnce<T>(steps: {
  readonly lookUp: () => Promise<T | undefined>;
  readonly create: () => Promise<T>;
}): Promise<T> {
  return (await steps.lookUp()) ?? landed(steps.create, steps.lookUp);
}

/** The result of the write or, where its answer was lost, what a look-up finds of it. */
export async function landed<T>(
  write: () => Promise<T>,
  lookUp: () => Promise<T | undefined>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const found = error instanceof AnswerLost ? await lookUp() : undefined;
    if (found === undefined) throw error;
    return found;
  }
}
