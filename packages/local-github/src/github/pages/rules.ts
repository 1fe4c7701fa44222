// The rulesets of a repository.
import type { Rule, Ruleset } from '../rules/ruleset.ts';
import type { Repository } from '../state.ts';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html } from '../../../../../src/lib/text/html.ts';
import type { Services } from '../rest/route.ts';
import { sendPage } from './layout.ts';
import { viewerOf, type GetPage } from './page-request.ts';
import { pathOf } from './parts.ts';
import { chooser, type Viewer } from './forms.ts';

export function registerRulesPage(services: Services, get: GetPage): void {
  const { world } = services;
  get('/:owner/:repo/rules', (request, reply) => {
    const repository = world.repository(request.params.owner, request.params.repo);
    return sendPage(reply, {
      title: `Rules of ${repository.fullName}`,
      version: world.version,
      path: pathOf(repository),
      main: rulesPage(repository, viewerOf(services, request)),
    });
  });
}

const rulesPage = (repository: Repository, viewer: Viewer): Html =>
  html`<h1 class="title">Rules of ${repository.name}</h1>
    <div id="rules" data-live>
      ${repository.rulesets.length === 0 && html`<p class="muted">None yet.</p>`}
      ${repository.rulesets.map((ruleset) => rulesetBox(repository, viewer, ruleset))}
    </div>
    ${newRulesetForm(repository, viewer)}`;

function rulesetBox(repository: Repository, viewer: Viewer, ruleset: Ruleset): Html {
  const { include = [], exclude = [] } = ruleset.conditions?.ref_name ?? {};
  const about = ruleset.target === 'push' ? ['all pushes'] : include;
  return html`<section class="box file">
    <header>
      <h2><b>${ruleset.name}</b> <span class="chip">${ruleset.enforcement}</span></h2>
    </header>
    <div class="body">
      <p>
        About <code>${about.join(', ')}</code>
        ${exclude.length > 0 && html`, but not <code>${exclude.join(', ')}</code>`}
      </p>
      <ul>
        ${ruleset.rules.map((rule) => html`<li><code>${rule.type}</code> ${parametersOf(rule)}</li>`)}
      </ul>
      ${removeRulesetForm(repository, viewer, ruleset)}
    </div>
  </section>`;
}

const parametersOf = (rule: Rule): Html | undefined =>
  'parameters' in rule ? html`<code>${JSON.stringify(rule.parameters)}</code>` : undefined;

const EXAMPLE = {
  name: 'main',
  enforcement: 'active',
  conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
  rules: [{ type: 'deletion' }, { type: 'non_fast_forward' }, { type: 'pull_request' }],
};

const newRulesetForm = (repository: Repository, viewer: Viewer): Html =>
  html`<form class="box" method="post" action="/ui/${repository.fullName}/rulesets">
    <h2>New ruleset</h2>
    <textarea name="ruleset" rows="14" aria-label="Ruleset, as in the API" required>
${JSON.stringify(EXAMPLE, undefined, 2)}</textarea>
    <div class="buttons">${chooser(viewer)}<button class="main">Create ruleset</button></div>
  </form>`;

const removeRulesetForm = (
  repository: Repository,
  { current }: Viewer,
  { id, name }: Ruleset,
): Html =>
  html`<form method="post" action="/ui/${repository.fullName}/rulesets/${id}/delete">
    <input type="hidden" name="as" value="${current?.login ?? ''}" />
    <button>Delete ${name}</button>
  </form>`;
