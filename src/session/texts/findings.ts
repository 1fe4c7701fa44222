// What a model found in a change before people reviewed it.
import type { Finding } from '../../contracts/effect.ts';
import type { SessionWork } from '../parts/session-work.ts';
import { quotation, sections, type Body } from './body.ts';
import { plural } from './format.ts';
import { code, oneLine } from './markdown.ts';

const MAX_CHARACTERS = 8_000;

/** What was found last, and is as it was; empty without a review. Markdown. */
export function selfReview({
  selfReview: review,
  changedSinceReview,
}: Pick<SessionWork, 'selfReview' | 'changedSinceReview'>): Body {
  if (review === undefined) return [];
  const { findings, failure } = review;
  const found = findings.length === 0 ? 'nothing found' : plural(findings.length, 'open finding');
  return sections(
    `**Self-review**: ${failure === undefined ? found : 'not done'}`,
    failure === undefined ? '' : quotation(failure, MAX_CHARACTERS),
    findings.length === 0 ? '' : quotation(findingList(findings), MAX_CHARACTERS),
    changedSinceReview ? OLD : '',
  );
}

const OLD = '⚠️ Reviewed before the newest commits.';

/** As a list. Markdown; the words of the findings are a model's. */
export const findingList = (findings: readonly Finding[]): string =>
  findings.map((finding) => `- ${findingLine(finding)}`).join('\n');

function findingLine({ path, line, text }: Finding): string {
  if (path === undefined) return oneLine(text);
  return `${code(line === undefined ? path : `${path}:${line}`)}: ${oneLine(text)}`;
}
