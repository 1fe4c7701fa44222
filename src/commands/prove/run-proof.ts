// A proof from its settings to its end.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { TellPerson } from '../../lib/errors.ts';
import { reasonOf } from '../../lib/reason.ts';
import { firstSignal, packageVersion, type CommandContext, type Terminal } from '../command.ts';
import { BELIEFS } from './beliefs/index.ts';
import {
  askBeliefs,
  keepProof,
  untilWith,
  type BeliefVerdict,
  type AnswerListener,
  type Proof,
  type Story,
} from './proof.ts';
import { openApp, type ProofApp } from './open-app.ts';
import { playStory } from './play-story.ts';
import { PROOF_PREFIX, sceneryOf } from './scenery.ts';
import {
  createLabel,
  labelsOf,
  lookAt,
  openIssue,
  removeAll,
  writeFirstCommit,
  type Removal,
  type ScratchRepository,
} from './scratch-repository.ts';
import type { SentDeliveries } from '../../contracts/delivery.ts';
import { GitHubDenied } from '../../github/errors.ts';
import { askerFor, type GitHubAnswer } from './ask-github.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { spellCommand } from '../../lib/program-name.ts';

const STOPPED = 130;

/** Resolves with the exit code. Errors are for the operator. */
export async function runProof(
  context: CommandContext,
  name: { readonly owner: string; readonly name: string },
): Promise<number> {
  const app = await openApp(context, name);
  const { options, print } = context;
  const stopping = new AbortController();
  void firstSignal().then(() => {
    print('\nStopping, and removing what was made. Press Ctrl-C again to end at once.');
    stopping.abort();
  });
  const scratch = await lookAt(app.person, `${name.owner}/${name.name}`, app.personLogin);
  requireConsent(scratch, name, options['yes'] === true);
  const { kind } = scratch;
  const { person } = app;
  const verdicts: BeliefVerdict[] = [];
  await removeAll(person, { kind });
  const keptLabels = await labelsOf(person);
  try {
    await carryOut(context, app, { scratch, verdicts, signal: stopping.signal });
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    if (options['keep'] === true) print('\nKept: the next proof here removes it.');
    else
      await tidyUp(
        app,
        { kind, keptLabels, label: await app.label().catch(() => PROOF_PREFIX) },
        print,
      );
  }
  const isDone = !stopping.signal.aborted;
  await conclude(context, app, { scratch, verdicts, isDone });
  if (!isDone) return STOPPED;
  return verdicts.some(({ state }) => state === 'wrong') ? 1 : 0;
}

const MOST_NAMED = 3;

function requireConsent(
  { kind, contents }: ScratchRepository,
  { owner, name }: { readonly owner: string; readonly name: string },
  isAgreed: boolean,
): void {
  if (kind !== 'other' || contents.length === 0 || isAgreed) return;
  const named = contents.slice(0, MOST_NAMED).join(', ');
  const more = contents.length > MOST_NAMED ? ` and ${contents.length - MOST_NAMED} more` : '';
  throw new TellPerson(
    `${owner}/${name} has content of its own (${named}${more}), so nothing was done. Name an empty repository, or add --yes: then the proof makes branches, issues and pull requests of its own there, and changes no branch that exists.`,
  );
}

interface ProofProgress {
  readonly scratch: ScratchRepository;
  readonly verdicts: BeliefVerdict[];
  readonly signal: AbortSignal;
}

async function carryOut(
  context: CommandContext,
  app: ProofApp,
  { scratch, verdicts, signal }: ProofProgress,
): Promise<void> {
  if (scratch.kind === 'empty') await writeFirstCommit(app.person);
  const label = await app.label();
  await createLabel(app.person, label);
  const id = randomBytes(4).toString('hex');
  const issue = await openIssue(app.person, id);
  const tell = (verdict: BeliefVerdict): void => {
    verdicts.push(verdict);
    context.print(lineFor(verdict, context.terminal));
  };
  const story = { label, path: issue.path, isMerged: scratch.kind !== 'other' };
  const { proof, hearing } = openProof(app, { id, story, issue, signal, tell });
  await askBeliefs(BELIEFS, proof, hearing);
  if (context.options['quick'] !== true) await playStory(context, app, { proof, hearing });
}

/** What a proof made is removed whatever came of it, so its own requests are not ended. */
async function tidyUp(
  { person, repository }: ProofApp,
  removal: Removal,
  print: CommandContext['print'],
): Promise<void> {
  const left = await removeAll(person, removal).catch((error: unknown) => [reasonOf(error)]);
  if (left.length === 0) return;
  const { owner, name } = repository;
  print(`\nNot removed from ${owner}/${name}, so please remove it there: ${left.join(', ')}.`);
}

interface Conclusion {
  readonly scratch: ScratchRepository;
  readonly verdicts: readonly BeliefVerdict[];
  readonly isDone: boolean;
}

async function conclude(
  { print, options }: CommandContext,
  app: ProofApp,
  { scratch, verdicts, isDone }: Conclusion,
): Promise<void> {
  const ofState = (state: BeliefVerdict['state']) => verdicts.filter((one) => one.state === state);
  const [held, wrong, left] = [ofState('holds'), ofState('wrong'), ofState('not asked')];
  const counts = `${held.length} hold, ${wrong.length} do not, ${left.length} could not be tried`;
  const about = [
    app.enterprise === undefined ? 'github.com' : 'a GitHub Enterprise Server',
    `${scratch.isPrivate ? 'private' : 'public'} repository, ${scratch.kind === 'other' ? 'with content' : 'empty at first'}`,
    isDone ? counts : `${counts}; stopped before the end`,
  ];
  const report = reportOf({ verdicts, about, names: app.names, redact: app.redact });
  const { report: file } = options;
  if (typeof file === 'string') {
    await writeFile(file, `${report}\n`);
    print(`\nThe report is in ${file}.`);
  } else print(`\nThe report, without secrets and names:\n\n${report}`);
  print(`\n${counts}.`);
  if (!isDone) return;
  const proof = {
    at: new Date().toISOString(),
    version: packageVersion(),
    held: held.length,
    wrong: wrong.map(({ belief: { id } }) => id),
  };
  await keepProof(app.config.store.dataDir, proof).catch((error: unknown) =>
    print(`\`${spellCommand('doctor')}\` will not know of this proof: ${reasonOf(error)}.`),
  );
}

interface NewProof {
  readonly id: string;
  readonly story: Story;
  readonly issue: { readonly number: number; readonly since: Date };
  readonly signal: AbortSignal;
  readonly tell: AnswerListener['tell'];
}

function openProof(
  app: ProofApp,
  { id, story, issue, signal, tell }: NewProof,
): { readonly proof: Proof; readonly hearing: AnswerListener } {
  let last: GitHubAnswer | undefined;
  let current = '';
  const heard = (answer: GitHubAnswer): void => void (last = answer);
  const { enterprise, repository, github, appLogin, personLogin, granted, token } = app;
  const asking = { enterprise, repository, signal, heard };
  const proof: Proof = {
    id,
    story,
    repository,
    appLogin,
    personLogin,
    assignee: app.config.github.assignee,
    granted,
    issue: issue.number,
    since: issue.since,
    deliveries: heardDeliveries(github.deliveries, heard),
    person: askerFor({ ...asking, token: () => Promise.resolve(token) }),
    app: (purpose) =>
      askerFor({
        ...asking,
        token: () => github.tokenFor(app.installation, repository, purpose),
      }),
    scenery: sceneryOf(
      () => proof,
      () => current,
    ),
    until: untilWith(signal),
  };
  const hearing: AnswerListener = {
    signal,
    tell,
    last: () => last,
    begin: (belief) => {
      current = belief;
      last = undefined;
    },
  };
  return { proof, hearing };
}

/** The same, and what GitHub answered to each request. */
function heardDeliveries(
  deliveries: SentDeliveries,
  heard: (answer: GitHubAnswer) => void,
): SentDeliveries {
  const say = (request: string, status: number, message = ''): void =>
    heard({ request, status, headers: new Headers(), body: null, message });
  const told = async <T>(request: string, work: Promise<T>): Promise<T> => {
    try {
      const result = await work;
      say(request, request.startsWith('POST') ? 202 : 200);
      return result;
    } catch (error) {
      if (error instanceof GitHubDenied) say(request, error.status, error.reasons.join('; '));
      throw error;
    }
  };
  const one = '/app/hook/deliveries/ID';
  return {
    pages: async function* () {
      const pages = deliveries.pages()[Symbol.asyncIterator]();
      for (;;) {
        const page = await told('GET /app/hook/deliveries', pages.next());
        if (page.done === true) return;
        yield page.value;
      }
    },
    payload: (attempt) => told(`GET ${one}`, deliveries.payload(attempt)),
    secretOf: (attempt, secrets) => told(`GET ${one}`, deliveries.secretOf(attempt, secrets)),
    deliverAgain: (attempt) => told(`POST ${one}/attempts`, deliveries.deliverAgain(attempt)),
  };
}

const MARKS: Readonly<Record<BeliefVerdict['state'], string>> = {
  holds: '✓',
  wrong: '✗',
  'not asked': '–',
};

/** `201 POST /repos/…`, with GitHub's message if it sent one. */
const rawAnswer = ({ answer }: BeliefVerdict): string => {
  if (answer === undefined) return '';
  const isFine = answer.status > 0 && answer.status < 300;
  const said = isFine || answer.message === '' ? '' : ` "${answer.message}"`;
  const status = answer.status === 0 ? 'no answer' : String(answer.status);
  return `${answer.request} → ${status}${said}`;
};

function lineFor(verdict: BeliefVerdict, { paint }: Terminal): string {
  const { belief, state, why } = verdict;
  const mark = MARKS[state];
  const color = state === 'holds' ? 'green' : 'red';
  const painted = state === 'not asked' ? mark : paint(color, mark);
  const reason = why === '' ? '' : `\n    ${escapeUnseen(why)}`;
  const raw = rawAnswer(verdict);
  const shown = raw === '' ? '' : `\n    ${paint('dim', escapeUnseen(raw))}`;
  return `${painted} ${belief.id}: ${belief.says}${reason}${shown}`;
}

interface ReportFacts {
  readonly verdicts: readonly BeliefVerdict[];
  /** What is told of the circumstances, in lines. */
  readonly about: readonly string[];
  /** Names that are private, by what stands for them. */
  readonly names: ReadonlyMap<string, string>;
  readonly redact: (text: string) => string;
}

/** In Markdown. It has no secret and no private name. */
export function reportOf({ verdicts, about, names, redact }: ReportFacts): string {
  const rows = verdicts.map((verdict) => {
    const { belief, state, why } = verdict;
    // Of what others wrote; a name may be a word that is ours, too.
    const heard = [why, rawAnswer(verdict)].map((text) => withoutNames(redact(text), names));
    const more = state === 'holds' ? [] : [...heard, `source: ${belief.source}`];
    const lines = more
      .filter((line) => line !== '')
      .map((line) => `\n  - ${line.replaceAll(/\s+/g, ' ').trim()}`);
    return `- ${MARKS[state]} \`${belief.id}\` ${belief.says}${lines.join('')}`;
  });
  const head = [`issuewright ${packageVersion()} prove`, ...about].map((line) => `- ${line}`);
  return escapeUnseen([...head, '', ...rows].join('\n'));
}

/** Longer names first: one may be a part of another. */
export function withoutNames(text: string, names: ReadonlyMap<string, string>): string {
  const longestFirst = [...names].toSorted(([one], [other]) => other.length - one.length);
  return longestFirst.reduce((left, [name, placeholder]) => {
    const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const alone = new RegExp(String.raw`(?<![\w-])${escaped}(?![\w-])`, 'gi');
    return left.replaceAll(alone, placeholder);
  }, text);
}
