// What GitHub says of an issue besides its text: its type, its fields, and what it is a part of. The model reads it as background.
import type { ParentIssue, ShownIssue } from '../../contracts/shown-text.ts';
import type { IssueState } from '../../github/issues.ts';
import type { UnsignedRepository } from '../../github/repository.ts';
import type { AskingAccount } from './who-may.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';

/** Of what is kept; the model reads less. */
const MOST_CHARACTERS = 20_000;
const LONGEST_NAME = 256;
const MOST_FIELDS = 30;

type PlannedWork = Pick<ShownIssue, 'type' | 'fields' | 'parent'>;

/**
 * Costs no request if the issue has no parent. Images of the parent are not fetched. `isTrusted`: whether someone may request
 * work here.
 */
export async function plannedWorkOf(
  issue: number,
  { type, fields, parent }: IssueState,
  github: UnsignedRepository,
  isTrusted: (account: AskingAccount) => Promise<boolean>,
): Promise<PlannedWork> {
  const shownFields = fields.slice(0, MOST_FIELDS).map(({ name, value }) => ({
    name: name.slice(0, LONGEST_NAME),
    value: value.slice(0, LONGEST_NAME),
  }));
  return withoutUndefined({
    type: type?.slice(0, LONGEST_NAME),
    fields: shownFields.length === 0 ? undefined : shownFields,
    parent: parent === undefined ? undefined : await parentOf(issue, parent, github, isTrusted),
  });
}

async function parentOf(
  child: number,
  parent: number,
  github: UnsignedRepository,
  isTrusted: (account: AskingAccount) => Promise<boolean>,
): Promise<ParentIssue | undefined> {
  const found = await github.parentIssue({ parent, child });
  if (found === undefined) return undefined;
  const { title, author, text, others, leftOut } = found;
  return withoutUndefined({
    number: parent,
    title,
    body: text.body.slice(0, MOST_CHARACTERS),
    hidden: text.hidden,
    by: {
      login: author?.login ?? 'ghost',
      mayRequest: author !== undefined && (await isTrusted(author)),
    },
    others,
    leftOut,
  });
}
