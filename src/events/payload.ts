// The forms of what is read of GitHub's payloads, and how events are read. A signature proves who sent a payload, not its form.
import type { EmitterWebhookEventName } from '@octokit/webhooks';
import { z } from 'zod';
import type { Arrival, Person, Intent, TextPlace, ThreadText } from '../contracts/intent.ts';
import { InvalidPayload } from '../lib/errors.ts';
import { namesApp } from '../session/said/asks.ts';

/** Bounded, as it becomes part of keys in the database, which takes no NUL. */
const short = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\0]*$/, 'contains NUL');
const name = z.string().regex(/^[\w.-]{1,100}$/, 'is not a name that GitHub allows');
const id = z.int().positive();
/** Of an issue or pull request. */
const number = z
  .int()
  .positive()
  .max(2 ** 31 - 1);
const time = short.refine((value) => !Number.isNaN(Date.parse(value)), 'is not a time');
const prose = z
  .string()
  .nullish()
  .transform((value) => value ?? null);

/** What every payload says in the same way. */
export const Common = z.object({
  installation: z.object({ id }).optional(),
  repository: z.object({ id, name, owner: z.object({ login: name }) }),
  sender: z.object({ id, login: short, type: z.string().optional() }),
});

export const Label = z.object({ name: short });
export const IssueType = z.object({ name: short });
export const Assignee = z.object({ login: short });
const User = z.object({ id, login: short.optional() }).nullish();

/** GitHub's limit. Each label of a new issue is accepted by itself, and GitHub waits ten seconds for all. */
const MAX_LABELS = 100;

export const Issue = z.object({
  number,
  node_id: short,
  title: z.string(),
  body: prose,
  state: z.string().nullish(),
  created_at: time,
  updated_at: time,
  labels: z.array(Label).max(MAX_LABELS, `an issue has at most ${MAX_LABELS} labels`).nullish(),
  type: IssueType.nullish(),
  user: User,
  /** Present if it is a pull request. */
  pull_request: z.unknown().optional(),
});

export const CommentPayload = z.object({
  id,
  node_id: short,
  body: z.string(),
  created_at: time,
  updated_at: time,
  user: User,
});

export const PullRequestPayload = z.object({
  number,
  node_id: short,
  updated_at: time,
  closed_at: time.nullish(),
  merged: z.boolean().nullish(),
  title: z.string().nullish(),
  body: prose,
  state: z.string().nullish(),
  user: User,
  head: z.object({ ref: z.string(), repo: z.object({ id }).nullable() }),
  base: z.object({ repo: z.object({ id }) }),
});

/** Why GitHub took a pull request out of a merge queue, in a word of its own. */
export const Reason = z.string().nullish();

export const Review = z.object({
  id,
  node_id: short,
  state: z.string(),
  submitted_at: time.nullish(),
  body: prose,
});

/** A comment that was changed, of any kind. */
export const EditedComment = z.object({
  id,
  node_id: short,
  body: z.string(),
  updated_at: time,
  user: User,
});

/** A comment that is gone, of any kind. */
export const DeletedComment = z.object({ id, node_id: short });

/** A review whose words were changed. Its own times do not say when. */
export const EditedReview = z.object({ id, body: prose, user: User });

/** A comment on a line. GitHub puts one that stands alone into a review of its own. */
export const ReviewComment = z.object({
  id,
  pull_request_review_id: id.nullish(),
  body: prose,
});

export const ReviewThreadPayload = z.object({
  node_id: short,
  comments: z.array(z.object({ id, in_reply_to_id: id.nullish() })).min(1),
});

const sha = z.string().regex(/^[0-9a-f]{40,64}$/, 'is not a commit');

export const CheckSuite = z.object({
  id,
  head_branch: z.string().nullable(),
  head_sha: sha,
  updated_at: time,
});

/** In events, a check run carries its suite. */
export const CheckRun = z.object({
  id,
  head_sha: sha,
  check_suite: z.object({ head_branch: z.string().nullish(), updated_at: time.nullish() }),
});

/** Who caused the event, where that is part of what it means. */
export const Sender = z.object({ id });

export const RequestedAction = z.object({ identifier: short });

/** Of the event `status`, which has no part of its own. */
export const StatusPayload = {
  id,
  sha,
  state: z.string(),
  branches: z.array(z.object({ name: z.string() })),
};

export const Transfer = z.object({ new_issue: z.object({ html_url: z.string() }) });

/** @throws {InvalidPayload} naming what is missing or wrong */
export function parsePayload<Schema extends z.ZodType>(
  schema: Schema,
  payload: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => {
    const field = `\`${path.join('.')}\``;
    if (message.endsWith('received undefined')) return `${field} is missing.`;
    return `${field} is wrong: ${message.replace(/^Invalid input: /, '')}.`;
  });
  throw new InvalidPayload(faults.slice(0, 3).join(' '));
}

// How an event is read, once its form is checked.

/** Reads one kind of GitHub event. Pure: all that it means to us, which may be nothing. */
export interface EventReader {
  readonly name: EmitterWebhookEventName;
  /** Why an event of this kind means nothing, if it does; for the operator. */
  readonly nothing?: string | undefined;
  /** @throws {InvalidPayload} */
  read(payload: unknown): readonly Arrival[];
}

/** What an event means, without what every payload says in the same way. */
export type Meaning = Pick<Arrival, 'thread' | 'meaning' | 'says' | 'intent'>;

interface EventReading<Shape extends z.ZodRawShape> {
  readonly name: EmitterWebhookEventName;
  /** What is read of the payload besides what all have. */
  readonly shape: Shape;
  readonly nothing?: string;
  readonly read: (
    payload: z.output<z.ZodObject<Shape>>,
  ) => Meaning | readonly Meaning[] | undefined;
}

/** Checks the form of a payload before it is read. An event that belongs to no installation means nothing. */
const readerFor =
  (personOf: (sender: z.output<typeof Common>['sender']) => Person) =>
  <Shape extends z.ZodRawShape>({
    name,
    shape,
    nothing,
    read,
  }: EventReading<Shape>): EventReader => {
    const schema = z.object(shape);
    return {
      name,
      nothing,
      read: (payload) => {
        const { installation, repository, sender } = parsePayload(Common, payload);
        const parsed = parsePayload(schema, payload);
        if (installation === undefined) return [];
        const from = {
          installation: installation.id,
          repository: { id: repository.id, owner: repository.owner.login, name: repository.name },
          sender: personOf(sender),
        };
        return [read(parsed) ?? []].flat().map((one) => ({ ...from, ...one }));
      },
    };
  };

/** Reads what people do. Which bots may ask for anything is not known here: they are marked. */
export const eventReader = readerFor(({ id, login, type }) => ({
  id,
  login,
  ...(type === 'Bot' ? { bot: true } : {}),
}));

/** Reads facts, no matter who caused them, bots included: a merge queue's merge is a merge. */
export const factReader = readerFor(({ id, login }) => ({ id, login }));

// What someone wrote before, and changed.

export const NOT_BY_AUTHOR = 'only what its author changes counts.';

/** A comment that its author changed; nothing if someone else did. `about`: what it is on. */
export function editedBy(
  sender: z.output<typeof Sender>,
  { id, node_id: node, updated_at: at, body, user }: z.output<typeof EditedComment>,
  { thread, on, about }: EditedThread & { readonly on: 'comment' | 'line_comment' },
): Meaning | undefined {
  if (user?.id !== sender.id) return undefined;
  const intent = edit({ in: { on, id }, body, at }, { thread, about });
  return { thread, meaning: `edited:${node}:${at}`, intent };
}

interface EditedThread {
  readonly thread: Arrival['thread'];
  readonly about: ThreadText;
}

interface Edit {
  readonly in: TextPlace;
  readonly body: string;
  readonly at: string;
}

/** New words somewhere. Whether they ask for something is read later, as of a comment. */
export function edit(words: Edit, { thread, about }: EditedThread): Intent {
  const edited = { kind: 'edited', ...words } as const;
  if (!namesApp(words.body, undefined)) return edited;
  return { ...edited, addressed: true, on: thread.on, thread: about };
}

/** A comment that is gone, whoever deleted it. */
export const deleted = (
  { id, node_id: node }: z.output<typeof DeletedComment>,
  thread: Arrival['thread'],
  on: 'comment' | 'line_comment',
): Meaning => ({
  thread,
  meaning: `deleted:${node}`,
  intent: { kind: 'deleted', in: { on, id } },
});
