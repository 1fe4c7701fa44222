// What must hold however events are ordered. Each fault is a sentence.
import { headSha } from '../../packages/local-github/src/github/git/pull.ts';
import type { Delivery } from '../../packages/local-github/src/github/webhooks.ts';
import type { Message } from '../../src/contracts/model.ts';
import { DEFAULT_CI_ROUNDS } from '../../src/session/settings/fields.ts';
import { apply, fold } from '../../src/session/fold/fold.ts';
import type { Entry, EntryOf } from '../../src/session/entry.ts';
import type { Session } from '../../src/session/session.ts';
import { stateOf } from '../../src/session/state.ts';
import { headline } from '../../src/session/texts/headline.ts';
import { textOf } from './colleague.ts';
import type { Place, Utterance } from './place.ts';
import type { SessionRow } from './session-watch.ts';

export interface Evidence {
  readonly place: Place;
  readonly sessions: readonly SessionRow[];
  readonly entries: readonly Entry[];
  readonly conversation: readonly Message[];
}

/** While the pull request is open and nothing is left to do. */
export async function answeredFaults(evidence: Evidence): Promise<readonly string[]> {
  const { place, entries } = evidence;
  const session = fold(entries);
  return [
    ...place.utterances.flatMap((one) => utteranceFaults(evidence, one)),
    ...(stateOf(session) === stateWithin(place)
      ? []
      : [`it is ${stateOf(session)} before the end`]),
    ...(place.target === 'issue' ? threadFaults(evidence, session) : []),
    ...(place.target === 'issue' ? await conflictFaults(place) : []),
  ];
}

const stateWithin = ({ target }: Place): string =>
  target === 'issue' ? 'waiting(review)' : 'done';

/** At the end. */
export async function wholeFaults(evidence: Evidence): Promise<readonly string[]> {
  const { place, entries, sessions } = evidence;
  return [
    ...(sessions.length === 1 ? [] : [`it has ${sessions.length} sessions`]),
    ...journalFaults(entries),
    ...roundFaults(entries),
    ...stateFaults(evidence),
    ...(await pushFaults(place, entries)),
    ...oneOfEach(place),
    ...place.utterances.filter(isKept).flatMap((one) => takenFaults(entries, one)),
  ];
}

const isKept = ({ kind }: Utterance): boolean =>
  kind !== 'stranger' && kind !== 'theirs' && kind !== 'background';

/** The earlier comments of a thread are quoted with each new one; what is read again is said to be that. */
const QUOTED = /(?:said before:|which you have read among the earlier ones)\n+(?:> .*\n?)*/g;

function timesRead(conversation: readonly Message[], words: string): number {
  const text = conversation
    .filter(({ role }) => role === 'user')
    .map((message) => textOf(message).replaceAll(QUOTED, ''))
    .join('\n');
  return text.split(new RegExp(`${words.replace('.', '\\.')}`)).length - 1;
}

function utteranceFaults({ place, conversation, entries }: Evidence, one: Utterance): string[] {
  const { words, kind, on, id } = one;
  if (kind === 'stranger') {
    const isRead = conversation.some((message) => textOf(message).includes(words));
    return isRead ? [`the model read a stranger: ${words}`] : [];
  }
  if (kind === 'background') return backgroundFaults(conversation, words);
  if (kind === 'praise') return [];
  const times = timesRead(conversation, words);
  if (kind === 'theirs') return times > 1 ? [`the model read ${times} times: ${words}`] : [];
  const { unread } = fold(entries).requests;
  const waits = unread.some(
    ({ intent }) =>
      (intent.kind === 'comment' && intent.commentId === id) ||
      (intent.kind === 'review' && intent.reviewId === id),
  );
  if (kind === 'aside' && times === 0) return waits ? [] : [`nobody reads: ${words}`];
  const reactions = place.repository.comments.find((each) => each.id === id)?.reactions ?? [];
  const isEarlier = entries.some((entry) => entry.type === 'admitted' && includes(entry, one));
  const isSeen = isEarlier || reactions.some(({ user }) => user.type === 'Bot');
  return [
    ...(kind !== 'command' && times !== 1 ? [`the model read ${times} times: ${words}`] : []),
    // What asks for nothing has none, unless a run was there to read it.
    ...(on === 'issue' && kind !== 'aside' && !isSeen ? [`there is no reaction on: ${words}`] : []),
  ];
}

/** Wherever the model reads it, it is below a heading that says so. */
const backgroundFaults = (conversation: readonly Message[], words: string): string[] =>
  conversation.flatMap((message) => {
    const [before = '', ...rest] = `\n${textOf(message)}`.split(words);
    const heading = before.slice(before.lastIndexOf('\n# '));
    const isSaid = rest.length === 0 || heading.includes('(background, not a request)');
    return isSaid ? [] : [`the model read as a request: ${words}`];
  });

/** Accepted once: as itself, or among what was said before the work began. Or it was rejected in words. */
function takenFaults(entries: readonly Entry[], one: Utterance): string[] {
  const times = entries.filter(
    (entry) =>
      (entry.type === 'admitted' && takes(entries, entry, one)) ||
      (entry.type === 'rejected' && entry.notify === true && isAbout(entries, entry, one)),
  ).length;
  const isIncluded = entries.some((entry) => entry.type === 'admitted' && includes(entry, one));
  const isTaken = times === 1 || (times === 0 && isIncluded);
  return isTaken ? [] : [`it was accepted ${times} times: ${one.words}`];
}

const includes = ({ earlier = [] }: EntryOf<'admitted'>, { id }: Utterance): boolean =>
  earlier.some((comment) => comment.id === id);

const isAbout = (
  entries: readonly Entry[],
  { received }: EntryOf<'admitted' | 'rejected'>,
  { id }: Utterance,
): boolean => {
  const entry = entries[received - 1];
  return (
    entry?.type === 'received' && entry.intent.kind === 'comment' && entry.intent.commentId === id
  );
};

function takes(entries: readonly Entry[], verdict: EntryOf<'admitted'>, one: Utterance): boolean {
  const { received, lineComments } = verdict;
  if (one.on === 'line') return lineComments.some(({ thread }) => thread?.comment === one.id);
  if (one.on === 'issue') return isAbout(entries, verdict, one);
  const entry = entries[received - 1];
  return (
    entry?.type === 'received' && entry.intent.kind === 'review' && entry.intent.reviewId === one.id
  );
}

/** In each thread one reply for each round that it was part of, and the last word where a person may ask. */
function threadFaults({ place }: Evidence, { reviews }: Session): string[] {
  return place.roots().flatMap((root) => {
    const all = place.inThread(root);
    const known = reviews.threads.find((one) => one.root === root.id);
    const rounds = reviews.rounds.flatMap((round) =>
      round.threads.filter(
        ({ thread, work, reply }) =>
          thread === known?.number && (work === 'work' || reply !== undefined),
      ),
    );
    const replies = all.filter(({ author }) => author.type === 'Bot');
    const heard = all.filter((comment) =>
      place.utterances.some(
        ({ on, id, kind }) => on === 'line' && id === comment.id && kind === 'said',
      ),
    );
    const answered = rounds.flatMap(({ comments }) => comments);
    const thread = place.repository.reviewThreads.find(({ id }) => id === root.threadId);
    // Nobody waits for an answer in a thread that a person resolved.
    const isResolved = thread?.resolvedBy?.type === 'User';
    const missed = heard.filter(({ id }) => !answered.includes(id));
    const last = all.filter((one) => replies.includes(one) || heard.includes(one)).at(-1);
    return [
      ...(replies.length === rounds.length || (isResolved && replies.length < rounds.length)
        ? []
        : [`thread ${root.id} was in ${rounds.length} rounds and has ${replies.length} replies`]),
      ...missed.map(({ body }) => `no round answers: ${body}`),
      ...(isResolved || heard.length === 0 || last?.author.type === 'Bot'
        ? []
        : [`thread ${root.id} ends without a reply to: ${last?.body}`]),
    ];
  });
}

async function conflictFaults({ repository: { git }, branch, pull }: Place): Promise<string[]> {
  const [base = '', head = ''] = [await git.head(pull.pull.base), await git.head(branch)];
  return (await git.mergeable(base, head)) ? [] : ['the pull request has conflicts'];
}

function journalFaults(entries: readonly Entry[]): string[] {
  const gap = entries.findIndex(({ seq }, at) => seq !== at + 1);
  const meanings = entries.flatMap((entry) =>
    entry.type === 'received' && entry.intent.kind !== 'checks_changed'
      ? [JSON.stringify(entry.intent)]
      : [],
  );
  const judged = entries.flatMap((entry) =>
    entry.type === 'admitted' || entry.type === 'rejected' ? [entry.received] : [],
  );
  const bad = entries.filter(
    (entry) =>
      (entry.type === 'run_deferred' && !SLOW.test(entry.reason)) ||
      (entry.type === 'run_ended' && (entry.end.kind === 'failed' || entry.end.kind === 'limit')),
  );
  return [
    ...(gap === -1 ? [] : [`the journal has a gap at ${gap + 1}`]),
    ...twice(meanings).map((one) => `received twice: ${one}`),
    ...twice(judged).map((one) => `judged twice: entry ${one}`),
    ...bad.map((entry) => `the journal has ${JSON.stringify(entry)}`),
  ];
}

/** The machine is so busy that an answer takes a minute. */
const SLOW = /the server sent nothing for|aborted due to timeout/;

const twice = <T>(all: readonly T[]): T[] => all.filter((one, at) => all.indexOf(one) !== at);

function roundFaults(entries: readonly Entry[]): string[] {
  const [first, ...rest] = entries;
  if (first === undefined) return ['the journal is empty'];
  let session = fold([first]);
  let most = 0;
  for (const entry of rest) {
    session = apply(session, entry);
    most = Math.max(most, session.checks.rounds);
  }
  const several = session.reviews.rounds.filter(({ commits }) => commits.length > 1);
  return [
    ...(most > DEFAULT_CI_ROUNDS ? [`it tried ${most} fixes of the checks in a row`] : []),
    ...several.map(({ number, commits }) => `round ${number} has ${commits.length} commits`),
  ];
}

function stateFaults({ place, entries, sessions }: Evidence): string[] {
  const session = fold(entries);
  const state = stateOf(session);
  const status = commentsOf(place).find(({ body }) => body.includes(':status -->'));
  const { sign, words } = headline(session);
  const wanted = place.ended === 'merge' ? 'done' : 'stopped';
  return [
    ...(state === wanted ? [] : [`it is ${state} at the end, after: ${place.ended}`]),
    ...(sessions[0]?.state === state ? [] : [`the row of the session says ${sessions[0]?.state}`]),
    ...(status?.body.startsWith(`**${sign} ${words}**`) === true
      ? []
      : [`the status is not ${words}: ${status?.body.split('\n')[0]}`]),
  ];
}

interface Push {
  readonly before: string;
  readonly after: string;
  readonly isOurs: boolean;
}

/** Those to the branch of the pull request, as GitHub told of them. */
export const pushesOf = ({ repository, branch, scene }: Place): readonly Push[] =>
  scene.github.deliveries.flatMap(({ event, payload, repositoryId, redelivery }: Delivery) => {
    const { ref, before, after, sender } = payload as unknown as PushPayload;
    const isMeant = event === 'push' && repositoryId === repository.id && !redelivery;
    return isMeant && ref === `refs/heads/${branch}`
      ? [{ before, after, isOurs: sender.type === 'Bot' }]
      : [];
  });

interface PushPayload {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly sender: { readonly type: string };
}

const NEW = /^0+$/;

async function pushFaults(place: Place, entries: readonly Entry[]): Promise<string[]> {
  const pushes = pushesOf(place);
  const ours = pushes.filter(({ isOurs }) => isOurs).map(({ after }) => after);
  const journaled = entries.flatMap((entry) =>
    'effects' in entry
      ? entry.effects.flatMap((effect) => (effect.type === 'commit' ? [effect.sha] : []))
      : [],
  );
  // A branch that was merged may have been deleted.
  const isHere = (await place.git('branch', '--list', place.branch)) !== '';
  const head = isHere ? place.branch : await headSha(place.repository, place.pull);
  const reachable = new Set((await place.git('rev-list', head)).split('\n'));
  const forced: string[] = [];
  for (const { before, after } of pushes.filter((one) => !NEW.test(one.before)))
    if (!(await place.repository.git.isAncestor(before, after))) forced.push(after);
  return [
    ...forced.map((sha) => `${sha} was pushed by force`),
    ...place.pushed.filter((sha) => !reachable.has(sha)).map((sha) => `${sha} of a person is lost`),
    ...(JSON.stringify(ours) === JSON.stringify(journaled)
      ? []
      : [`it pushed ${ours.join(' ')}, and the journal has ${journaled.join(' ')}`]),
    ...pushesOfRuns(entries),
  ];
}

/** A run pushes once, and a merge of the base branch besides. */
function pushesOfRuns(entries: readonly Entry[]): string[] {
  const counts = new Map<number, string[]>();
  let run = 0;
  for (const entry of entries) {
    if (entry.type === 'run_started') ({ run } = entry);
    if (!('effects' in entry)) continue;
    for (const effect of entry.effects)
      if (effect.type === 'commit' && effect.merges === undefined)
        counts.set(run, [...(counts.get(run) ?? []), effect.message]);
  }
  return [...counts].flatMap(([number, messages]) =>
    messages.length > 1 ? [`run ${number} pushed ${messages.join(' and ')}`] : [],
  );
}

/** What the App wrote. */
export const commentsOf = ({ repository, issue, pulls }: Place) => {
  const numbers = [issue, ...pulls].map(({ number }) => number);
  return repository.comments.filter(
    ({ author, issueNumber }) => author.type === 'Bot' && numbers.includes(issueNumber),
  );
};

function oneOfEach(place: Place): string[] {
  const { pulls, issue, target } = place;
  const own = commentsOf(place);
  const markers = own.map(({ body }) => /<!-- issuewright:[^>]* -->$/.exec(body)?.[0] ?? body);
  const statuses = markers.filter((marker) => marker.includes(':status')).length;
  return [
    ...(statuses === 1 ? [] : [`it has ${statuses} status comments`]),
    ...twice(markers).map((marker) => `it wrote twice: ${marker}`),
    ...(pulls.length === 1 ? [] : [`it has ${pulls.length} pull requests`]),
    ...(target === 'issue' || issue.body === 'Words of its author.'
      ? []
      : [`it changed the words of the author to: ${issue.body}`]),
  ];
}
