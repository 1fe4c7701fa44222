// Creating an App from a manifest, installing it, and what it is.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html } from '../../../../../src/lib/text/html.ts';
import { GitHubError } from '../github-error.ts';
import { Installations } from '../installations.ts';
import { parseBody, type Services } from '../rest/route.ts';
import type { User } from '../user.ts';
import { checkHost, checkOrigin } from './guard.ts';
import { sendPage } from './layout.ts';

interface AppAddress {
  Params: { org: string; slug: string };
  Querystring: { state?: string };
}

const Sent = z.object({ manifest: z.string() });
const Confirmed = Sent.extend({ name: z.string(), state: z.string(), owner: z.string() });
const Chosen = z.object({ owner: z.string() });

export function registerAppPages(server: FastifyInstance, services: Services): void {
  registerCreation(server, services);
  registerInstallation(server, services);
  for (const address of [
    '/apps/:slug',
    '/settings/apps/:slug',
    '/organizations/:org/settings/apps/:slug',
  ])
    server.get<AppAddress>(address, (request, reply) => {
      checkHost(request);
      requireApp(services, request.params.slug);
      const { app, version } = services.world;
      const main = appPage(services);
      return sendPage(reply, { title: app.name, version, path: html``, main });
    });
}

function registerCreation(server: FastifyInstance, services: Services): void {
  const { world, registrations } = services;
  const ask = (reply: FastifyReply, body: unknown, state: string, owner: string): FastifyReply => {
    const manifest = registrations.read(parseBody(Sent, body).manifest);
    const text = JSON.stringify(manifest);
    return sendPage(reply, {
      title: 'Create GitHub App',
      version: world.version,
      path: html``,
      main: createForm({ text, state, owner, name: manifest.name }),
      formTarget: new URL(manifest.redirect_url).origin,
    });
  };

  // Another site sends this form: that is how a manifest comes here.
  server.post<AppAddress>('/settings/apps/new', (request, reply) => {
    checkHost(request);
    return ask(reply, request.body, request.query.state ?? '', personOf(services).login);
  });
  server.post<AppAddress>('/organizations/:org/settings/apps/new', (request, reply) => {
    checkHost(request);
    return ask(reply, request.body, request.query.state ?? '', request.params.org);
  });
  server.post('/settings/apps/manifest', (request, reply) => {
    checkOrigin(request);
    const { manifest: text, name, state, owner } = parseBody(Confirmed, request.body);
    const manifest = { ...registrations.read(text), name };
    const code = registrations.create(manifest, accountNamed(services, owner));
    const back = new URL(manifest.redirect_url);
    back.searchParams.set('code', code);
    if (state !== '') back.searchParams.set('state', state);
    return reply.redirect(back.href, 302);
  });
}

function registerInstallation(server: FastifyInstance, services: Services): void {
  const { world } = services;
  const send = (reply: FastifyReply, title: string, main: Html): FastifyReply =>
    sendPage(reply, { title, version: world.version, path: html``, main });

  server.get<AppAddress>('/apps/:slug/installations/new', (request, reply) => {
    checkHost(request);
    requireApp(services, request.params.slug);
    const owners = [...world.repositories.values()].map(({ owner }) => owner.login);
    return send(reply, 'Install App', installForm(world.app.slug, [...new Set(owners)]));
  });
  server.post<AppAddress>('/apps/:slug/installations', (request, reply) => {
    checkOrigin(request);
    requireApp(services, request.params.slug);
    const { owner } = parseBody(Chosen, request.body);
    const repositories = [...world.repositories.values()].filter(
      (one) => one.owner.login === owner,
    );
    new Installations(services).install(repositories, world.nextId());
    return send(reply, 'Installed', html`<h1 class="title">Installed on ${owner}</h1>`);
  });
}

function requireApp({ world }: Services, slug: string): void {
  if (slug !== world.app.slug) throw new GitHubError('own', 404, 'Not Found');
}

function personOf({ world }: Services): User {
  const person = [...world.users.values()].find(({ type }) => type === 'User');
  if (person === undefined) throw new GitHubError('own', 404, 'Not Found');
  return person;
}

function accountNamed({ world }: Services, login: string): User {
  const account = world.user(login);
  if (account === undefined) throw new GitHubError('own', 404, 'Not Found');
  return account;
}

interface NewApp {
  readonly text: string;
  readonly state: string;
  readonly owner: string;
  readonly name: string;
}

const createForm = ({ text, state, owner, name }: NewApp): Html =>
  html`<h1 class="title">Create GitHub App for ${owner}</h1>
    <p class="muted">There is one App here: it takes the place of the one before.</p>
    <form class="box" method="post" action="/settings/apps/manifest">
      <input type="hidden" name="manifest" value="${text}" />
      <input type="hidden" name="state" value="${state}" />
      <input type="hidden" name="owner" value="${owner}" />
      <input
        type="text"
        name="name"
        value="${name}"
        aria-label="GitHub App name"
        required
        maxlength="34"
      />
      <button type="submit">Create GitHub App</button>
    </form>`;

/** Without its secrets. */
const appPage = ({ world, webhooks }: Services): Html =>
  html`<h1 class="title">${world.app.name}</h1>
    <p class="muted">GitHub App ${world.app.id}</p>
    <div id="app" data-live>
      <h2>Webhook</h2>
      <p>${webhooks.url === '' ? 'None' : html`<code>${webhooks.url}</code>`}</p>
      <h2>Permissions</h2>
      <ul>
        ${Object.entries(world.app.permissions).map(([permission, level]) => html`<li><code>${permission}</code>: ${level}</li>`)}
      </ul>
      <h2>Events</h2>
      <p><code>${world.app.events.join(', ')}</code></p>
      <h2>Installed on</h2>
      <ul>
        ${[...world.installations.values()].map(({ account }) => html`<li><a href="/${account.login}">${account.login}</a></li>`)}
      </ul>
      <p><a href="/apps/${world.app.slug}/installations/new">Install</a></p>
    </div>`;

const installForm = (slug: string, owners: readonly string[]): Html =>
  html`<h1 class="title">Install ${slug}</h1>
    ${owners.map(
      (owner) =>
        html`<form class="box" method="post" action="/apps/${slug}/installations">
          <input type="hidden" name="owner" value="${owner}" />
          <button type="submit">Install on ${owner}</button>
        </form>`,
    )}`;
