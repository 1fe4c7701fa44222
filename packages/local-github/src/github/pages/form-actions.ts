// The actions of the forms: the same that `people.ts` offers to tests.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { findCheck } from '../actions/checks.ts';
import { messageOf } from '../../../../../src/lib/errors.ts';
import { findIssue } from '../actions/issues.ts';
import { GitHubError } from '../github-error.ts';
import { checkRunPath } from '../payloads/check.ts';
import { Person } from '../people.ts';
import { parseBody, type Services } from '../rest/route.ts';
import { RulesetBody } from '../rules/ruleset.ts';
import type { Repository } from '../state.ts';
import { checkOrigin } from './guard.ts';
import { issuePath } from './parts.ts';

const Form = z.object({
  as: z.string(),
  title: z.string().default(''),
  body: z
    .string()
    .default('')
    .transform((text) => text.replaceAll('\r\n', '\n')),
  label: z.string().default(''),
  assignee: z.string().default(''),
  ruleset: z.string().default(''),
  comment: z.coerce.number().default(0),
  path: z.string().default(''),
  line: z.string().default(''),
  identifier: z.string().default(''),
  event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']).default('COMMENT'),
});
type Form = z.output<typeof Form>;

interface Place {
  readonly repository: Repository;
  readonly number: number;
}

type FormAction = (person: Person, place: Place, form: Form) => unknown;

const ACTIONS = new Map<string, FormAction>([
  ['comment', (person, place, form) => person.comment(place, form.body)],
  ['label', (person, place, form) => person.label(place, form.label.trim())],
  ['unlabel', (person, place, form) => person.unlabel(place, form.label)],
  ['assign', (person, place, form) => person.assign(place, form.assignee)],
  ['unassign', (person, place, form) => person.unassign(place, form.assignee)],
  ['review', (person, place, { event, body }) => person.review(place, { event, body })],
  [
    'remark',
    (person, place, { path, line, body }) => person.remark(place, { path, body, ...linesOf(line) }),
  ],
  [
    'reply',
    (person, { repository }, { comment, body }) => person.replyTo(repository, comment, body),
  ],
  ['resolve', (person, { repository }, { comment }) => person.resolve(repository, comment)],
  [
    'unresolve',
    (person, { repository }, { comment }) => person.resolve(repository, comment, false),
  ],
  [
    'suggestion',
    (person, { repository }, { comment }) => person.commitSuggestion(repository, comment),
  ],
  ['merge', (person, place) => person.merge(place)],
  ['ready', (person, place) => person.setDraft(place, false)],
  ['close', (person, place, form) => withReply(person, place, form, 'closed')],
  ['reopen', (person, place, form) => withReply(person, place, form, 'open')],
]);

/** `3`, or `3-5` for several. */
function linesOf(text: string): { line: number; startLine?: number } {
  const [first = 0, last = first] = text.split('-').map(Number);
  return last === first ? { line: last } : { line: last, startLine: first };
}

type CheckFormAction = (
  person: Person,
  repository: Repository,
  id: number,
  form: Form,
) => Promise<void>;

const CHECK_ACTIONS = new Map<string, CheckFormAction>([
  [
    'action',
    (person, repository, id, form) => person.requestAction(repository, id, form.identifier),
  ],
  ['rerun', (person, repository, id) => person.rerunCheck(repository, id)],
]);

async function withReply(
  person: Person,
  place: Place,
  form: Form,
  state: 'open' | 'closed',
): Promise<void> {
  if (form.body.trim() !== '') person.comment(place, form.body);
  await person.change(place, { state });
}

/** Throws a 422 that says what is wrong with the text. */
function rulesetOf(text: string): z.output<typeof RulesetBody> {
  try {
    return parseBody(RulesetBody, JSON.parse(text));
  } catch (error) {
    if (error instanceof GitHubError)
      throw new GitHubError('own', 422, `The ruleset is invalid: ${JSON.stringify(error.details)}`);
    throw new GitHubError('own', 422, `The ruleset is not JSON: ${messageOf(error)}`);
  }
}

interface Sent {
  readonly form: Form;
  readonly repository: Repository;
  readonly person: Person;
  readonly cookie: string;
}

type ReadForm = (request: FastifyRequest<{ Params: { owner: string; repo: string } }>) => Sent;

function registerRuleForms(server: FastifyInstance, read: ReadForm): void {
  server.post<{ Params: { owner: string; repo: string } }>(
    '/ui/:owner/:repo/rulesets',
    async (request, reply) => {
      const { form, repository, person, cookie } = read(request);
      person.addRuleset(repository, rulesetOf(form.ruleset));
      return reply.header('set-cookie', cookie).redirect(`/${repository.fullName}/rules`, 303);
    },
  );

  server.post<{ Params: { owner: string; repo: string; id: string } }>(
    '/ui/:owner/:repo/rulesets/:id/delete',
    async (request, reply) => {
      const { repository, person, cookie } = read(request);
      person.removeRuleset(repository, Number(request.params.id));
      return reply.header('set-cookie', cookie).redirect(`/${repository.fullName}/rules`, 303);
    },
  );
}

export function registerFormActions(server: FastifyInstance, services: Services): void {
  const read: ReadForm = (request) => {
    checkOrigin(request);
    const form = Form.parse(request.body);
    const user = services.world.user(form.as);
    if (user?.type !== 'User')
      throw new GitHubError('own', 404, `There is no user named ${form.as}.`);
    const repository = services.world.repository(request.params.owner, request.params.repo);
    const cookie = `as=${encodeURIComponent(user.login)}; Path=/; SameSite=Strict; HttpOnly`;
    return { form, repository, person: new Person(services, user), cookie };
  };

  registerRuleForms(server, read);
  server.post<{ Params: { owner: string; repo: string } }>(
    '/ui/:owner/:repo/issues',
    async (request, reply) => {
      const { form, repository, person, cookie } = read(request);
      const issue = person.openIssue(repository, { title: form.title, body: form.body });
      return reply.header('set-cookie', cookie).redirect(issuePath(repository, issue), 303);
    },
  );

  server.post<{ Params: { owner: string; repo: string; id: string; action: string } }>(
    '/ui/:owner/:repo/checks/:id/:action',
    async (request, reply) => {
      const { form, repository, person, cookie } = read(request);
      const run = findCheck(repository, Number(request.params.id));
      const action = CHECK_ACTIONS.get(request.params.action);
      if (action === undefined) throw new GitHubError('own', 404, 'There is no such form.');
      await action(person, repository, run.id, form);
      return reply.header('set-cookie', cookie).redirect(checkRunPath(repository, run), 303);
    },
  );

  server.post<{ Params: { owner: string; repo: string; number: string; action: string } }>(
    '/ui/:owner/:repo/:number/:action',
    async (request, reply) => {
      const { form, repository, person, cookie } = read(request);
      const issue = findIssue(repository, Number(request.params.number));
      const action = ACTIONS.get(request.params.action);
      if (action === undefined) throw new GitHubError('own', 404, 'There is no such form.');
      await action(person, { repository, number: issue.number }, form);
      return reply.header('set-cookie', cookie).redirect(issuePath(repository, issue), 303);
    },
  );
}
