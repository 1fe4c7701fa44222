// The one place that says which model works on a run, how much it thinks, and which one reviews.
import type { Effort } from '../../../contracts/model.ts';
import { TellPerson } from '../../../lib/errors.ts';
import { PROOF_MODEL } from '../../../models/providers/scripted.ts';
import type { EntryOf } from '../../../session/entry.ts';
import { isSameLabel, MODEL_LABEL } from '../../../session/github-names.ts';
import { EFFORTS, isHigher } from '../../../session/settings/fields.ts';
import type { FollowedSettings } from '../../admission/settings.ts';
import { isAllowedBot, mayAsk } from '../../admission/who-may.ts';
import type { Operator, PlanScope } from '../../service/service.ts';

export interface ChosenModel {
  readonly model: string;
  readonly effort: Effort | undefined;
  /** What of the settings is not followed, and why. Markdown. */
  readonly warnings: readonly string[];
  /** Why this model continues the run of another one. */
  readonly fallback?: NonNullable<EntryOf<'run_prepared'>['fallback']>;
}

/**
 * The model that works, and its effort: by the labels on the issue, by the settings of the repository, or the operator's default.
 * @throws {TellPerson} if the operator does not offer the one that the settings ask for
 */
export async function chooseModel(
  scope: ModelScope,
  read: FollowedSettings,
  labels: () => Promise<readonly string[]>,
): Promise<ChosenModel> {
  const { operator } = scope.service;
  const byLabel = await labelled(scope, read, labels);
  const { model_effort: asked } = read.settings;
  const most = operator.mostEffort ?? 'high';
  const isTooHigh = byLabel.effort === undefined && isHigher(asked, most);
  const effort = byLabel.effort ?? asked;
  return {
    model: byLabel.model ?? modelOf(read, operator),
    effort: isHigher(effort, most) ? most : (effort ?? operator.effort),
    warnings: isTooHigh
      ? [`\`model_effort\` is \`${asked}\`, and the operator allows \`${most}\` at most.`]
      : [],
  };
}

type ModelScope = Pick<PlanScope, 'tracker' | 'github' | 'service'>;

function modelOf(read: FollowedSettings, operator: Operator): string {
  if (operator.onlyModel !== undefined) return operator.onlyModel;
  const { model } = read.settings;
  return requireOffered('model', model, read, operator) ?? allowedIn(read, operator)[0];
}

/** The models that the operator offers and the repository allows. @throws {TellPerson} if there is none */
function allowedIn(
  { settings, source }: FollowedSettings,
  { models }: Operator,
): readonly [string, ...string[]] {
  const { allow } = settings.models;
  const [first, ...rest] = models.filter((name) => allow?.includes(name) ?? true);
  if (first !== undefined) return [first, ...rest];
  throw new TellPerson(
    `The operator offers none of the models in \`models.allow\` (in ${source}). Add one of: ${listed(models)}.`,
  );
}

/** The reviewer is the run's own model unless the repository or the operator names another one that is allowed. */
export function reviewModelOf(
  read: FollowedSettings,
  operator: Operator,
  model: string,
): string | undefined {
  const { self_review: wanted, review_model: named, models } = read.settings;
  if (!wanted || !operator.selfReview) return undefined;
  const asked =
    operator.onlyModel === undefined
      ? requireOffered('review_model', named, read, operator)
      : undefined;
  const { reviewModel } = operator;
  const isAllowed = reviewModel !== undefined && (models.allow?.includes(reviewModel) ?? true);
  return asked ?? (isAllowed ? reviewModel : model);
}

function requireOffered(
  setting: 'model' | 'review_model',
  model: string | undefined,
  read: FollowedSettings,
  operator: Operator,
): string | undefined {
  if (model === undefined || model === PROOF_MODEL) return model;
  const allowed = allowedIn(read, operator);
  if (allowed.includes(model)) return model;
  const why = operator.models.includes(model)
    ? '`models.allow` does not have'
    : 'the operator does not offer';
  throw new TellPerson(
    `The setting \`${setting}\` (in ${read.source}) is \`${model}\`, which ${why}. Choose one of: ${listed(allowed)}.`,
  );
}

const listed = (models: readonly string[]): string => models.map((one) => `\`${one}\``).join(', ');

/** Whether a run that was prepared with a model may continue with it; with the one of `issuewright prove`, which costs nothing, any may. */
export function mayContinueWith(
  model: string,
  { models, fallback, onlyModel }: Operator,
  { settings }: FollowedSettings,
): boolean {
  if (model === PROOF_MODEL || model === onlyModel) return true;
  const isOffered = models.includes(model) || model === fallback?.model;
  return isOffered && (settings.models.allow?.includes(model) ?? true);
}

/** What labels on the issue choose. A label counts if whoever added it last may request work; unknown labels choose nothing. */
async function labelled(
  scope: ModelScope,
  read: FollowedSettings,
  labels: () => Promise<readonly string[]>,
): Promise<Partial<Pick<ChosenModel, 'model' | 'effort'>>> {
  const { operator } = scope.service;
  if (!read.settings.models.labels || scope.tracker.session.thread.folder !== undefined) return {};
  const present = (await labels()).filter((label) => label.toLowerCase().startsWith(MODEL_LABEL));
  if (present.length === 0) return {};
  const chosenBy = async (words: readonly string[]): Promise<boolean> => {
    const names = words.map((word) => `${MODEL_LABEL}${word}`);
    const label = present.find((one) => names.some((name) => isSameLabel(one, name)));
    return label !== undefined && (await mayChoose(scope, read, label));
  };
  const models = operator.onlyModel === undefined ? allowedIn(read, operator) : [];
  // The lowest effort, and the model that the operator names first, if there are several.
  return {
    ...(await firstOf('effort', EFFORTS, (effort) => chosenBy([effort]))),
    ...(await firstOf('model', models, (model) => chosenBy([model, model.replace(/^[^:]*:/, '')]))),
  };
}

async function firstOf<Name extends string, Value extends string>(
  name: Name,
  values: readonly Value[],
  isChosen: (value: Value) => Promise<boolean>,
): Promise<{ readonly [_ in Name]?: Value }> {
  for (const value of values)
    if (await isChosen(value)) return { [name]: value } as { readonly [_ in Name]?: Value };
  return {};
}

/** GitHub lets more people label than may request work. */
async function mayChoose(
  { github, tracker, service }: ModelScope,
  { settings: { who } }: FollowedSettings,
  label: string,
): Promise<boolean> {
  const { by } = (await github.triggerOf(tracker.session.thread.issue, { label })) ?? {};
  if (by === undefined) return false;
  return by.isPerson ? mayAsk(github, by, who, new Map()) : isAllowedBot(by, service.allowedBots);
}

/**
 * The model that continues a run whose own has failed for as long as the operator set; `undefined` if that is not so, or none may.
 * Without `models.allow`, the code goes to no server that has not received it.
 */
export async function fallbackFor(
  { tracker, service }: PlanScope,
  read: FollowedSettings,
  prepared: EntryOf<'run_prepared'>,
): Promise<ChosenModel | undefined> {
  const { outage } = tracker.session.run ?? {};
  const afterMs = await fallbackAfterMs(service, read, prepared.model);
  if (outage === undefined || afterMs === undefined) return undefined;
  const { since, at, reason } = outage;
  if (Date.parse(at) - Date.parse(since) < afterMs) return undefined;
  const { model: from, effort } = prepared;
  const model = service.operator.fallback?.model ?? from;
  return { model, effort, warnings: [], fallback: { from, since, reason } };
}

/** After which time of failures the operator's fallback continues a run of this model; `undefined`: it may not. */
export async function fallbackAfterMs(
  { operator, openModel }: PlanScope['service'],
  { settings }: FollowedSettings,
  model: string,
): Promise<number | undefined> {
  const { fallback, onlyModel } = operator;
  if (fallback === undefined || fallback.model === model || onlyModel !== undefined)
    return undefined;
  const { allow } = settings.models;
  const mayReceive =
    allow?.includes(fallback.model) ??
    (await openModel(fallback.model)).destination === (await openModel(model)).destination;
  return mayReceive ? fallback.afterMs : undefined;
}
