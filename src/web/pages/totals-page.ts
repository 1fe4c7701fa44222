// What sessions came to: for whoever pays for them.
import { html, type Html } from '../../lib/text/html.ts';
import { briefCost, cost, duration } from '../../session/texts/format.ts';
import type { WorthSum } from '../../session/worth.ts';
import type { NamedSum, SpentSum, Totals } from '../session-source.ts';
import { page } from './layout.ts';

/** Days, to choose from. */
export const SPANS = [7, 30, 90] as const;

/** `span`: in days; all sessions if there is none. */
export const totalsPage = (
  { all, byRepository, byModel, spent }: Totals,
  span: number | undefined,
): Html =>
  page({
    title: 'Totals',
    live: false,
    content: html`<h1>Totals</h1>
      <nav class="pages" aria-label="Time">
        ${SPANS.map((days) => choice(`/totals?days=${days}`, `Last ${days} days`, span === days))}${choice('/totals', 'All time', span === undefined)}
      </nav>
      ${
        all === undefined
          ? html`<p class="empty">No sessions finished in this period.</p>`
          : html`${facts(all)}${comparison('repository', 'Repository', byRepository)}${comparison('model', 'Model', byModel)}
              <p class="faint below">
                A session counts once its first run is over. Times are medians from the accepted
                request, over the sessions that got that far. Abandoned: idle for thirty days. The
                merge rate counts sessions whose pull request was merged or closed, or that were
                abandoned. Cost per merge: the total cost, divided by the merged pull requests.
              </p>`
      }${spent.length === 0 ? '' : spentSection(spent)}`,
  });

/** By when it was spent, as the budgets count it. */
const spentSection = (spent: readonly SpentSum[]): Html =>
  html`<section class="request">
    <h2 id="spent">Spent</h2>
    <p class="faint">
      What models cost in this period, including sessions that began earlier. Days and months are in
      UTC. Costs count for whoever requested the work first.
    </p>
    ${SPENT_BY.map(([by, name]) =>
      table(
        html`aria-label="Spent by ${by}"`,
        name,
        [['Cost', briefCost]],
        spent.filter((sum) => sum.by === by),
      ),
    )}
  </section>`;

const SPENT_BY = [
  ['month', 'Month'],
  ['person', 'Person'],
  ['repository', 'Repository'],
  ['model', 'Model'],
] as const;

const choice = (address: string, words: string, isThis: boolean): Html =>
  isThis
    ? html`<strong aria-current="page">${words}</strong> `
    : html`<a href="${address}">${words}</a> `;

/** Its parts may stand on lines of their own: `owner/` and `name`, `provider:` and `model`. */
const wrappable = (name: string): Html =>
  html`${name.split(/(?<=[/:])/).map((part, at) => (at === 0 ? part : html`<wbr />${part}`))}`;

const NONE = '–';

type Fact = readonly [name: string, of: (sum: WorthSum) => string];

/** What repositories and models are compared by: as many columns as a page has room for. */
const COMPARED: readonly Fact[] = [
  ['Sessions', ({ sessions }) => String(sessions)],
  ['Merged', ({ merged }) => String(merged)],
  ['Merge rate', ({ merged, closed, abandoned }) => share(merged, merged + closed + abandoned)],
  ['Cost per merge', costOfMerge],
  [
    'Rounds per merge',
    ({ rounds, merged }) => (merged === 0 ? NONE : (rounds / merged).toFixed(1)),
  ],
  ['Time to first reaction', ({ signMs }) => time(signMs)],
  ['Time to pull request', ({ proposedMs }) => time(proposedMs)],
  ['Time to merge', ({ mergedMs }) => time(mergedMs)],
];

const FACTS: readonly Fact[] = [
  ...COMPARED,
  ['Zero touch', ({ zeroTouch, merged }) => share(zeroTouch, merged)],
  ['Closed', ({ closed }) => String(closed)],
  ['No change', ({ unchanged }) => String(unchanged)],
  ['Abandoned', ({ abandoned }) => String(abandoned)],
  ['Open', ({ open }) => String(open)],
  ['Cost', cost],
  ['Average cost of merged sessions', costOfMerged],
];

/** All that was spent, for what came of it. */
function costOfMerge({ dollars, merged, isPartial }: WorthSum): string {
  return merged === 0 ? NONE : briefCost({ dollars: dollars / merged, isPartial });
}

/** What those that were merged cost themselves. */
function costOfMerged({ mergedDollars, merged, isPartial }: WorthSum): string {
  return merged === 0 ? NONE : cost({ dollars: mergedDollars / merged, isPartial });
}

const share = (part: number, whole: number): string =>
  whole === 0 ? NONE : `${Math.round((100 * part) / whole)} %`;

const time = (ms: number | null): string => (ms === null ? NONE : duration(ms));

const facts = (sum: WorthSum): Html =>
  html`<dl class="facts totals">
    ${FACTS.map(
      ([name, of]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${of(sum)}</dd>
        </div>`,
    )}
  </dl>`;

const comparison = (by: string, name: string, sums: readonly NamedSum[]): Html =>
  html`<section class="request">
    <h2 id="by-${by}">By ${by}</h2>
    ${table(html`aria-labelledby="by-${by}"`, name, COMPARED, sums)}
  </section>`;

/** `label`: the attribute that names the table. `name`: of the column with the names. */
const table = <Sum extends { readonly name: string }>(
  label: Html,
  name: string,
  columns: readonly (readonly [name: string, of: (sum: Sum) => string])[],
  sums: readonly Sum[],
): Html =>
  html`<div class="wide" role="region" ${label} tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">${name}</th>
          ${columns.map(([column]) => html`<th scope="col">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${sums.map(
          (sum) =>
            html`<tr>
              <th scope="row">${wrappable(sum.name)}</th>
              ${columns.map(([, of]) => html`<td>${of(sum)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
