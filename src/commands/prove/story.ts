// The story of one issue, played with the service itself: the label, a question, the pull request, its review and its end.
import { PROOF_TEXTS } from '../../models/scripted/scripted-adapter.ts';
import { issueBranch } from '../../session/github-names.ts';
import { valueIn } from './ask-github.ts';
import {
  NotAsked,
  requireAccepted,
  requireThat,
  BeliefRefuted,
  type Belief,
  type Proof,
} from './proof.ts';
import { reviewThreadsOf } from './scenery.ts';

const SOURCE = 'docs/using.md';
/** GitHub may need ten seconds to give up a delivery, and more to list it. */
const FIRST_SIGN_S = 240;

type ListedItem = Readonly<Record<string, unknown>>;

async function listOf(proof: Proof, path: string): Promise<readonly ListedItem[]> {
  const separator = path.includes('?') ? '&' : '?';
  const { body } = requireAccepted(
    await proof.person.rest('GET', `${path}${separator}per_page=100`),
  );
  return Array.isArray(body) ? (body as readonly ListedItem[]) : [];
}

const isByApp = ({ appLogin }: Proof, item: unknown): boolean =>
  valueIn(item, 'user', 'login') === appLogin;

const bodyText = (item: unknown): string => {
  const text = valueIn(item, 'body');
  return typeof text === 'string' ? text : '';
};

const commentsOfApp = async (proof: Proof): Promise<readonly ListedItem[]> =>
  (await listOf(proof, `issues/${proof.issue}/comments`)).filter((one) => isByApp(proof, one));

/** The first line of the status comment; `undefined`: there is none. @throws {BeliefRefuted} if it says that the work ended badly */
async function headlineOf(proof: Proof): Promise<string | undefined> {
  const status = (await commentsOfApp(proof)).find((one) => /:status -->/.test(bodyText(one)));
  if (status === undefined) return undefined;
  const [line = ''] = bodyText(status).split('\n');
  if (/failed|not finished/i.test(line)) throw new BeliefRefuted(`the status says: ${line}`);
  return line;
}

/** Looks whether the work has failed, too. */
const untilIn = <T>(
  proof: Proof,
  what: string,
  look: () => Promise<T | undefined>,
  seconds?: number,
): Promise<T> =>
  proof.until(
    what,
    async () => {
      await headlineOf(proof);
      return look();
    },
    seconds,
  );

const untilStatusSays = (proof: Proof, words: RegExp): Promise<string> =>
  proof.until(`status that says "${words.source}"`, async () => {
    const line = await headlineOf(proof);
    return line !== undefined && words.test(line) ? line : undefined;
  });

function pullOf({ story: { pull } }: Proof) {
  if (pull === undefined) throw new NotAsked('it needs story-pull-request');
  return pull;
}

const BEGINNING: readonly Belief[] = [
  {
    id: 'story-first-sign',
    says: 'The label has the App put 👀 on the issue.',
    source: SOURCE,
    ask: async (proof) => {
      const options = { body: { labels: [proof.story.label] } };
      requireAccepted(await proof.person.rest('POST', `issues/${proof.issue}/labels`, options));
      const look = async () =>
        (await listOf(proof, `issues/${proof.issue}/reactions`)).find(
          (one) => isByApp(proof, one) && one['content'] === 'eyes',
        );
      await proof.until('👀 of the App on the issue', look, FIRST_SIGN_S);
    },
  },
  {
    id: 'story-question',
    says: 'The agent works, asks a question, and waits for the answer.',
    source: SOURCE,
    ask: async (proof) => {
      await untilIn(proof, 'question on the issue', async () =>
        (await commentsOfApp(proof)).find((one) => bodyText(one).includes(PROOF_TEXTS.question)),
      );
      const options = { body: { body: `${PROOF_TEXTS.firstLine}, please.` } };
      requireAccepted(await proof.person.rest('POST', `issues/${proof.issue}/comments`, options));
    },
  },
  {
    id: 'story-pull-request',
    says: 'After the answer it pushes a branch and opens a pull request.',
    source: SOURCE,
    ask: async (proof) => {
      const branch = issueBranch(proof.issue);
      const found = await untilIn(proof, 'pull request for the issue', async () =>
        (await listOf(proof, 'pulls?state=open')).find(
          (one) => isByApp(proof, one) && valueIn(one, 'head', 'ref') === branch,
        ),
      );
      const number = Number(found['number']);
      proof.story.pull = { number, head: String(valueIn(found, 'head', 'sha')) };
      const { path } = proof.story;
      const files = await listOf(proof, `pulls/${number}/files`);
      requireThat(
        files.some(({ filename }) => filename === path),
        `the pull request does not change ${path}`,
      );
    },
  },
  {
    id: 'story-verified',
    says: 'Its commits are verified.',
    source: 'docs/decisions/0067-merges-by-git.md#0068-verified-commits',
    ask: async (proof) => {
      const commits = await listOf(proof, `pulls/${pullOf(proof).number}/commits`);
      requireThat(commits.length > 0, 'there are none');
      for (const one of commits) {
        const verified = valueIn(one, 'commit', 'verification', 'verified');
        requireThat(verified === true, 'a commit is not verified');
      }
    },
  },
  {
    id: 'story-ready',
    says: 'When the work is submitted, the pull request is no draft any more.',
    source: SOURCE,
    ask: async (proof) => {
      const { number } = pullOf(proof);
      await untilStatusSays(proof, /ready for review/i);
      const { body } = requireAccepted(await proof.person.rest('GET', `pulls/${number}`));
      requireThat(valueIn(body, 'draft') === false, 'it is a draft');
    },
  },
];

const REVIEWING: readonly Belief[] = [
  {
    id: 'story-check-run',
    says: 'A check run on the pull request shows the work.',
    source: SOURCE,
    ask: async (proof) => {
      const { head } = pullOf(proof);
      if (proof.granted['checks'] !== 'write')
        throw new NotAsked('the App was not granted checks: write');
      await untilIn(proof, 'check run of the App', async () => {
        const asked = await proof.app('checks').rest('GET', `commits/${head}/check-runs`);
        const runs = valueIn(requireAccepted(asked).body, 'check_runs');
        const slug = proof.appLogin.replace(/\[bot\]$/, '');
        const isOwn = (run: unknown): boolean => valueIn(run, 'app', 'slug') === slug;
        return Array.isArray(runs) ? runs.find(isOwn) : undefined;
      });
    },
  },
  {
    id: 'story-review',
    says: 'A review that requests a change gets another commit.',
    source: SOURCE,
    ask: async (proof) => {
      const { number, head } = pullOf(proof);
      const body = `Please make this line "${PROOF_TEXTS.correctedLine}".`;
      const comments = [{ path: proof.story.path, line: 2, side: 'RIGHT', body }];
      const review = { event: 'REQUEST_CHANGES', body: 'One thing.', comments };
      requireAccepted(await proof.person.rest('POST', `pulls/${number}/reviews`, { body: review }));
      await untilIn(proof, 'second commit', async () => {
        const { body: now } = requireAccepted(await proof.person.rest('GET', `pulls/${number}`));
        return valueIn(now, 'head', 'sha') === head ? undefined : true;
      });
    },
  },
  {
    id: 'story-resolved',
    says: 'The App replies in the thread of the changed line, and resolves it.',
    source: SOURCE,
    ask: async (proof) => {
      const { number } = pullOf(proof);
      await untilIn(proof, 'reply of the App in the thread', async () =>
        (await listOf(proof, `pulls/${number}/comments`)).find((one) => isByApp(proof, one)),
      );
      // Otherwise the repository's own settings decide it.
      if (!proof.story.isMerged) return;
      await untilIn(proof, 'resolved thread', async () => {
        const [thread] = await reviewThreadsOf(proof, number);
        return valueIn(thread, 'isResolved') === true ? true : undefined;
      });
    },
  },
  {
    id: 'story-end',
    says: 'The merge of the pull request, or its closing, ends the work, and the status says so.',
    source: SOURCE,
    ask: async (proof) => {
      const path = `pulls/${pullOf(proof).number}`;
      const { isMerged } = proof.story;
      await untilStatusSays(proof, /ready for review/i);
      requireAccepted(
        isMerged
          ? await proof.person.rest('PUT', `${path}/merge`, { body: {} })
          : await proof.person.rest('PATCH', path, { body: { state: 'closed' } }),
      );
      await untilStatusSays(proof, isMerged ? /merged/i : /closed|stopped/i);
    },
  },
];

export const STORY: readonly Belief[] = [...BEGINNING, ...REVIEWING];
