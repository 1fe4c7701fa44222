// What people and their services do while the App works, each at a random moment.
import type { Randomness } from './randomness.ts';
import { oneIn, oneOf } from './randomness.ts';
import { CHECKED, SHARED } from './colleague.ts';
import { CONTRIBUTOR, FRIEND, STRANGER, type Place } from './place.ts';

type Deed = (place: Place, random: Randomness) => Promise<void>;

const onIssueOrPull = ({ issue, pull }: Place, random: Randomness) =>
  oneIn(random, 2) ? issue : pull;

const comment: Deed = async (place, random) => {
  const words = place.words();
  const where = onIssueOrPull(place, random);
  const prefix = oneOf(random, ['', '', '@issuewright ']);
  const { id } = place.scene.maintainer.comment(place.thread(where), prefix + words);
  // People may talk to each other.
  const kind = prefix === '' ? 'aside' : 'said';
  place.heard({ words, kind, on: 'issue', id });
};

const strangersComment: Deed = async (place, random) => {
  const words = place.words();
  const { id } = place.scene.github
    .as(STRANGER)
    .comment(place.thread(onIssueOrPull(place, random)), words);
  place.heard({ words, kind: 'stranger', on: 'issue', id });
};

export const resolveCommand: Deed = async (place, random) => {
  const words = '/issuewright resolve';
  const { id } = place.scene.maintainer.comment(place.thread(onIssueOrPull(place, random)), words);
  place.heard({ words, kind: 'command', on: 'issue', id });
};

const PRAISE = 'Nice!';

const review: Deed = async (place, random) => {
  const words = place.words();
  const lines = Array.from({ length: random.below(4) }, () => ({
    path: place.reviewed,
    line: 1 + random.below(9),
    body: oneIn(random, 4) ? PRAISE : place.words(),
  }));
  const who = oneOf(random, [place.scene.maintainer, place.scene.github.as(FRIEND)]);
  const event = oneOf(random, ['REQUEST_CHANGES', 'COMMENT', 'APPROVE'] as const);
  const { id } = await who.review(place.thread(place.pull), {
    event,
    body: words,
    comments: lines,
  });
  // Without remarks on lines, only a request for changes is work.
  const isWork = event === 'REQUEST_CHANGES' || lines.some(({ body }) => body !== PRAISE);
  place.heard({ words, kind: isWork ? 'said' : 'aside', on: 'review', id });
  for (const one of place.repository.reviewComments.filter(({ reviewId }) => reviewId === id)) {
    place.heard({
      words: one.body,
      kind: one.body === PRAISE ? 'praise' : 'said',
      on: 'line',
      id: one.id,
    });
  }
};

const remark: Deed = async (place, random) => {
  const words = place.words();
  const { id } = await place.scene.maintainer.remark(place.thread(place.pull), {
    path: place.reviewed,
    line: 1 + random.below(9),
    body: words,
  });
  place.heard({ words, kind: 'said', on: 'line', id });
};

const strangersRemark: Deed = async (place, random) => {
  const words = place.words();
  const { id } = await place.scene.github.as(STRANGER).remark(place.thread(place.pull), {
    path: place.reviewed,
    line: 1 + random.below(9),
    body: words,
  });
  place.heard({ words, kind: 'stranger', on: 'line', id });
};

const reply: Deed = async (place, random) => {
  const roots = place.roots();
  if (roots.length === 0) return remark(place, random);
  const words = place.words();
  const { id } = await place.scene.maintainer.replyTo(
    place.repository,
    oneOf(random, roots).id,
    words,
  );
  return place.heard({ words, kind: 'said', on: 'line', id });
};

const resolveThread: Deed = async (place, random) => {
  const roots = place.roots();
  if (roots.length > 0)
    place.scene.maintainer.resolve(place.repository, oneOf(random, roots).id, !oneIn(random, 3));
};

const push: Deed = async (place, random) => {
  const breaks = oneIn(random, 3) ? { [CHECKED]: 'TODO: by a person\n' } : {};
  const name = `people/${place.words().replace(/\D/g, '')}.md`;
  const author = place.target === 'fork' ? CONTRIBUTOR : FRIEND;
  const sha = await place.scene.github.as(author).push(place.home, {
    branch: place.branch,
    message: 'Push to the branch',
    files: { [name]: 'Kept.\n', ...breaks },
  });
  place.pushed.push(sha);
};

const moveBase: Deed = async (place, random) => {
  const name = oneIn(random, 2) ? SHARED : `base/${place.words().replace(/\D/g, '')}.md`;
  await place.scene.maintainer.push(place.repository, {
    branch: 'main',
    message: 'Move the base',
    files: { [name]: `${place.words()}\n` },
  });
};

const failStatus: Deed = async (place, random) => {
  const ci = place.scene.github.ci(place.repository);
  const context = `ci/${random.below(3)}`;
  const head = await place.head();
  await ci.setStatus(head, { state: 'pending', context });
  const state = oneOf(random, ['failure', 'failure', 'success'] as const);
  await ci.setStatus(head, { state, context, description: `It is broken: ${place.words()}` });
};

const check: Deed = async (place, random) => {
  const ci = place.scene.github.ci(place.repository);
  const { id } = await ci.startCheck({
    name: `other-${random.below(2)}`,
    head_sha: await place.head(),
    status: 'in_progress',
  });
  const conclusion = oneOf(random, ['success', 'failure'] as const);
  await ci.changeCheck(id, { status: 'completed', conclusion });
};

/** The frequent ones are there more than once. */
const ON_OURS: readonly Deed[] = [
  review,
  review,
  remark,
  reply,
  reply,
  resolveThread,
  comment,
  comment,
  strangersComment,
  strangersRemark,
  push,
  moveBase,
  moveBase,
  resolveCommand,
  failStatus,
  check,
];

/** On the pull request of someone else, of which only a mention is for the App. */
const mention: Deed = async (place) => {
  const words = place.words();
  const { id } = place.scene.maintainer.comment(place.thread(place.issue), `@issuewright ${words}`);
  place.heard({ words, kind: 'said', on: 'issue', id });
};

/** Of someone who may not request work: the author of the pull request from a fork, or anyone. */
const strangersMention: Deed = async (place, random) => {
  const words = place.words();
  const isAuthor = place.target === 'fork' && oneIn(random, 2);
  const { id } = place.scene.github
    .as(isAuthor ? CONTRIBUTOR : STRANGER)
    .comment(place.thread(place.issue), `@issuewright ${words}`);
  place.heard({ words, kind: isAuthor ? 'background' : 'stranger', on: 'issue', id });
};

const commentForAuthor: Deed = async (place) => {
  const words = place.words();
  const { id } = place.scene.github.as(FRIEND).comment(place.thread(place.issue), words);
  place.heard({ words, kind: 'theirs', on: 'issue', id });
};

const reviewForAuthor: Deed = async (place, random) => {
  const [words, onLine] = [place.words(), place.words()];
  const { id } = await place.scene.maintainer.review(place.thread(place.issue), {
    event: oneOf(random, ['REQUEST_CHANGES', 'COMMENT', 'APPROVE']),
    body: words,
    comments: [{ path: 'theirs.md', line: 1, body: onLine }],
  });
  place.heard({ words, kind: 'theirs', on: 'review', id });
  place.heard({ words: onLine, kind: 'theirs', on: 'line', id });
};

const ON_THEIRS: readonly Deed[] = [
  mention,
  mention,
  mention,
  strangersMention,
  commentForAuthor,
  reviewForAuthor,
  push,
  push,
  moveBase,
  resolveCommand,
];

/** More pushes during one run than this end it in words. The one that a pull request of others began with is no other. */
const mostPushes = ({ target }: Place): number => (target === 'issue' ? 2 : 3);

/** Some of them, one after the other. */
export async function doSomething(place: Place, random: Randomness): Promise<void> {
  const count = 2 + random.below(4);
  for (let done = 0; done < count; done += 1) {
    const deed = oneOf(random, place.target === 'issue' ? ON_OURS : ON_THEIRS);
    if (deed === push && place.pushed.length >= mostPushes(place)) continue;
    await deed(place, random);
  }
}

export { comment, mention, strangersComment };
