import { TellPerson } from '../../../lib/errors.ts';
import { PROOF_MODEL } from '../../../models/providers/scripted.ts';
import type { FollowedSettings } from '../../admission/settings.ts';
import type { Operator } from '../../service/service.ts';

/** The model that works. @throws {TellPerson} if the operator does not offer the one that is asked for */
export function modelOf({ settings, source }: FollowedSettings, operator: Operator): string {
  if (operator.onlyModel !== undefined) return operator.onlyModel;
  const asked = offeredModel({ name: 'model', model: settings.model, source }, operator);
  return asked ?? operator.models[0];
}

/** The reviewer is the run's own model unless the repository or the operator names another one. */
export function reviewModelOf(
  { settings, source }: FollowedSettings,
  operator: Operator,
  model: string,
): string | undefined {
  const { self_review: wanted, review_model: named } = settings;
  const isOnly = operator.onlyModel !== undefined;
  const asked = isOnly
    ? undefined
    : offeredModel({ name: 'review_model', model: named, source }, operator);
  return wanted && operator.selfReview ? (asked ?? operator.reviewModel ?? model) : undefined;
}

interface AskedModel {
  /** Of the setting. */
  readonly name: string;
  readonly model: string | undefined;
  readonly source: string;
}

function offeredModel({ name, model, source }: AskedModel, operator: Operator): string | undefined {
  if (model === undefined || isOffered(model, operator)) return model;
  const { models } = operator;
  const offered = models.map((one) => `\`${one}\``).join(', ');
  throw new TellPerson(
    `The setting \`${name}\` (in ${source}) is \`${model}\`, which the operator does not offer. Choose one of: ${offered}.`,
  );
}

/** By the operator, or the one of `issuewright prove`, which costs nothing. */
export const isOffered = (model: string, { models }: Operator): boolean =>
  models.includes(model) || model === PROOF_MODEL;
