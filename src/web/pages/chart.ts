// What a session has used, over the time of its work: charts, limits, and the same as a table.
import { html, type Html } from '../../lib/text/html.ts';
import type { Session } from '../../session/session.ts';
import type { Spending, SpendingPoint } from '../../session/parts/session-counts.ts';
import { briefCost, cost, dollars, duration, plural, tokens } from '../../session/texts/format.ts';
import { foldedSection } from './text.ts';

/** Its own part of the page: it changes with every reply. */
export function usedSoFar(session: Session): Html {
  const { course } = session.spending;
  const isEmpty = course.length === 0;
  return html`<section class="used" id="used" data-part>
    ${
      isEmpty
        ? ''
        : html`<h2>Used so far</h2>
            ${limits(session)}
            ${foldedSection(
              'used-course',
              'Over time',
              html`<div class="charts">${costChart(session)}${tokenChart(session)}</div>
                ${table(session.spending)}`,
            )}`
    }
  </section>`;
}

/** In units of the drawing, which is stretched to the width that there is. */
const [WIDTH, HEIGHT, TOP] = [600, 120, 8];

interface Series {
  readonly name: string;
  /** What it is now. */
  readonly now: string;
  readonly of: (point: SpendingPoint) => number;
}

function chart(course: readonly SpendingPoint[], { name, now, of }: Series): Html {
  const last = course.at(-1);
  const [time, most] = [last?.workedMs ?? 0, Math.max(...course.map(of))];
  const line = course.map((point) => {
    const x = time === 0 ? WIDTH : (WIDTH * point.workedMs) / time;
    const y = most === 0 ? HEIGHT : HEIGHT - ((HEIGHT - TOP) * of(point)) / most;
    return `L${Math.round(x)} ${Math.round(y)}`;
  });
  // The line, and down to the axis.
  const area = `M0 ${HEIGHT}${line.join('')}V${HEIGHT}`;
  const label = `${name} over ${duration(time)} of work, up to ${now}`;
  return html`<figure>
    <figcaption>${name}: <strong>${now}</strong></figcaption>
    <svg
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${label}"
    >
      <path d="${area}" vector-effect="non-scaling-stroke" />
    </svg>
    <div class="axis"><span>0</span><span>${duration(time)} of work</span></div>
  </figure>`;
}

const costChart = ({ spending }: Session): Html | string =>
  spending.cost.dollars === 0
    ? ''
    : chart(spending.course, {
        name: 'Cost',
        now: cost(spending.cost),
        of: (point) => point.dollars,
      });

function tokenChart({ spending: { course, usage } }: Session): Html {
  const now = tokens(usage.input + usage.output);
  return chart(course, { name: 'Tokens', now, of: (point) => point.tokens });
}

const MOST_ROWS = 8;

/** Some of the points, the last one among them. */
function table({ course, cost: { isPartial } }: Spending): Html {
  const step = Math.ceil(course.length / MOST_ROWS);
  const rows = course.filter((_point, index) => (course.length - 1 - index) % step === 0);
  return html`<table class="points">
    <thead>
      <tr>
        <th scope="col">Work</th>
        <th scope="col">Tokens</th>
        <th scope="col">Cost</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (point) =>
          html`<tr>
            <td>${duration(point.workedMs)}</td>
            <td>${tokens(point.tokens)}</td>
            <td>${briefCost({ dollars: point.dollars, isPartial })}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

const MINUTE_MS = 60_000;
/** Past this part of a limit, the agent is told. */
const NEAR = 0.8;

/** How much of its limits the latest run has used. Limits of a day are the repository's, and not among them. */
function limits({ run, progress, spending }: Session): Html | string {
  if (run === undefined) return '';
  const { turns, minutes, tokens: mostTokens, dollars: most, issueDollars } = run.limits;
  const { used } = progress;
  const { isPartial } = spending.cost;
  const stretch = Date.parse(progress.steppedAt) - Date.parse(progress.workingSince);
  const workedMs = progress.workedMs + Math.max(0, stretch || 0);
  const bars = [
    bar('turns', 'Replies', used.turns, turns, (limit) => `${used.turns} of ${limit}`),
    bar(
      'minutes',
      'Time',
      workedMs / MINUTE_MS,
      minutes,
      (limit) => `${duration(workedMs)} of ${plural(limit, 'minute')}`,
    ),
    bar(
      'tokens',
      'Tokens',
      used.tokens,
      mostTokens,
      (limit) => `${tokens(used.tokens)} of ${tokens(limit)}`,
    ),
    bar(
      'dollars',
      'Cost of the run',
      used.dollars,
      most,
      (limit) => `${briefCost({ dollars: used.dollars, isPartial })} of ${dollars(limit)}`,
    ),
    bar(
      'issue',
      'Cost of all runs',
      spending.cost.dollars,
      issueDollars,
      (limit) => `${briefCost(spending.cost)} of ${dollars(limit)}`,
    ),
  ].filter((one) => one !== undefined);
  if (bars.length === 0) return '';
  return html`<ul class="limits" aria-label="${`Limits of run ${run.number}`}">
    ${bars}
  </ul>`;
}

function bar(
  key: string,
  name: string,
  used: number,
  limit: number | undefined,
  words: (limit: number) => string,
): Html | undefined {
  if (limit === undefined || limit <= 0) return undefined;
  const id = `limit-${key}`;
  return html`<li>
    <label for="${id}">${name}</label>
    <meter
      id="${id}"
      min="0"
      max="${limit}"
      high="${limit * NEAR}"
      optimum="0"
      value="${Math.min(used, limit)}"
    >
      ${words(limit)}
    </meter>
    <span>${words(limit)}</span>
  </li>`;
}
