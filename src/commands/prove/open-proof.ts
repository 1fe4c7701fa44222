// What the beliefs of one proof are asked with, so that each hears what GitHub answered to it.
import type { SentDeliveries } from '../../contracts/delivery.ts';
import { GitHubDenied } from '../../github/errors.ts';
import { askerFor, type Answer } from './ask-github.ts';
import type { ProofApp } from './open-app.ts';
import { untilWith, type Proof, type Story } from './proof.ts';
import { sceneryOf } from './scenery.ts';
import type { Hearing } from './verdicts.ts';

interface NewProof {
  readonly id: string;
  readonly story: Story;
  readonly issue: { readonly number: number; readonly since: Date };
  readonly signal: AbortSignal;
  readonly tell: Hearing['tell'];
}

export function openProof(
  app: ProofApp,
  { id, story, issue, signal, tell }: NewProof,
): { readonly proof: Proof; readonly hearing: Hearing } {
  let last: Answer | undefined;
  let current = '';
  const heard = (answer: Answer): void => void (last = answer);
  const { enterprise, repository, github, appLogin, personLogin, granted, token } = app;
  const asking = { enterprise, repository, signal, heard };
  const proof: Proof = {
    id,
    story,
    repository,
    appLogin,
    personLogin,
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
  const hearing: Hearing = {
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
  heard: (answer: Answer) => void,
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
    deliverAgain: (attempt) => told(`POST ${one}/attempts`, deliveries.deliverAgain(attempt)),
  };
}
