// The tables of docs/configuration.md, from the schemas that settings are read by.
import { DEFAULT_CI_ROUNDS, REVIEW_ROUNDS } from '../../../src/session/settings/fields.ts';
import { z } from 'zod';
import { AgentVariables } from '../../../src/config/agent.ts';
import { KeyFileVariables } from '../../../src/config/key-files.ts';
import { McpVariables } from '../../../src/config/mcp.ts';
import { NetworkVariables } from '../../../src/config/network.ts';
import { OpenTelemetryVariables, MetricsVariables } from '../../../src/config/monitoring.ts';
import { ModelVariables } from '../../../src/config/models.ts';
import { ServiceVariables } from '../../../src/config/service.ts';
import { ShellVariables } from '../../../src/config/shell.ts';
import { GitVariables } from '../../../src/config/git.ts';
import { SignInVariables } from '../../../src/config/sign-in.ts';
import { SlotVariables } from '../../../src/config/slots.ts';
import { VARIABLES } from '../../../src/config/variables.ts';
import { VARIABLE_WORDS } from '../../../src/session/settings/commands.ts';
import { PROVIDERS } from '../../../src/models/index.ts';
import { codes, kindOf, table, type Row, type Schema } from './markdown-table.ts';
import { schemaAddress, settingsSchema } from './settings-schema.ts';

export const CONFIGURATION_DOCUMENT = 'docs/configuration.md';

/** The lines between which a part of the document is made: `<!-- made by npm run docs: NAME -->`. */
const BLOCK = /(<!-- made by npm run docs: ([a-z]+) -->\n\n)[^]*?(\n\n<!-- end -->)/g;

/** @throws {Error} if a block has an unknown name, or one of the blocks is missing */
export function configurationDocument(current: string): string {
  const left = new Set(BLOCKS.keys());
  const document = current.replaceAll(BLOCK, (_all, begin: string, name: string, end: string) => {
    const make = BLOCKS.get(name);
    if (make === undefined) throw new Error(`nothing is made for the block "${name}"`);
    left.delete(name);
    return `${begin}${make()}${end}`;
  });
  if (left.size > 0) throw new Error(`the document lacks the blocks ${[...left].join(', ')}`);
  return document;
}

/** The settings that everyone needs, in the order in which one comes to them. They are in no other table. */
const FIRST = (
  'APP_ID PRIVATE_KEY_PATH WEBHOOK_SECRET ALLOWED_OWNERS MODEL PUBLIC_URL BUDGET_DAY ' +
  'ALLOW_DANGEROUS_TOOLS'
).split(' ');

const LIMITS = /^(BUDGET|AGENT_MAX)_(?!MESSAGES)/;
const MODELS = /^(PROTOCOL|AGENT_MODE|TOOLS_ENABLED)$/;
const agentRows = (isOne: (name: string) => boolean): readonly Row[] =>
  variableRows(AgentVariables, isOne);

/** Groups of the service's variables, by who needs them. Those of no group are for whoever runs it. */
const GROUPS = {
  pages: /^(PAGES_|CLIENT_|ADMINS$|TRUSTED_PROXIES$)/,
  people: /^(ALLOWED_BOTS|ASSIGNEE_LOGIN|LINK_HOSTS)$/,
  enterprise: /^(GHE_|CONTENT_LIMITS$)/,
};
const serviceTable = (isOne: (name: string) => boolean): string =>
  variables([ServiceVariables, SignInVariables].flatMap((of) => variableRows(of, isOne)));
const isOfNoGroup = (name: string): boolean =>
  !Object.values(GROUPS).some((group) => group.test(name));

const BLOCKS: ReadonlyMap<string, () => string> = new Map([
  ['first', first],
  ['others', () => `All other ${VARIABLES.size - FIRST.length} variables have defaults that work.`],
  ['people', () => serviceTable((name) => GROUPS.people.test(name))],
  ['pages', () => serviceTable((name) => GROUPS.pages.test(name))],
  ['service', () => serviceTable(isOfNoGroup)],
  ['enterprise', () => serviceTable((name) => GROUPS.enterprise.test(name))],
  [
    'monitoring',
    () =>
      variables(
        [MetricsVariables, OpenTelemetryVariables].flatMap((schema) => variableRows(schema)),
      ),
  ],
  ['keys', () => variables(variableRows(KeyFileVariables))],
  ['slots', () => variables(variableRows(SlotVariables))],
  ['git', () => variables(variableRows(GitVariables))],
  ['network', () => variables(variableRows(NetworkVariables))],
  [
    'models',
    () => variables([...variableRows(ModelVariables), ...agentRows((name) => MODELS.test(name))]),
  ],
  ['providers', providers],
  ['limits', () => variables(agentRows((name) => LIMITS.test(name)))],
  ['memory', () => variables(agentRows((name) => !LIMITS.test(name) && !MODELS.test(name)))],
  ['commands', () => variables(variableRows(ShellVariables))],
  ['servers', () => variables(variableRows(McpVariables))],
  ['variables', variableWords],
  ['repository', repository],
  ['optional', () => `All ${settingRows(settingsSchema()).length} settings are optional:`],
  ['schema', () => `\`\`\`yaml\n# yaml-language-server: $schema=${schemaAddress()}\n\`\`\``],
]);

const HEAD = ['variable', 'default', 'description'];
const variables = (rows: readonly Row[]): string => table(HEAD, rows);

/** @throws {Error} if one of them is no setting */
function first(): string {
  const schemas = [ServiceVariables, ModelVariables, AgentVariables, ShellVariables];
  const settings = new Map(schemas.flatMap(({ shape }) => Object.entries(shape)));
  const rows = FIRST.map((name) => {
    const variable = settings.get(name);
    if (variable === undefined) throw new Error(`there is no setting ${name}`);
    return rowOf(name, variable);
  });
  return variables(rows);
}

function providers(): string {
  const rows = PROVIDERS.flatMap(({ name, variables: schema }) =>
    variableRows(schema).map(([variable = '', ...rest]) => [variable, `\`${name}\``, ...rest]),
  );
  return table(['variable', 'provider', 'default', 'description'], rows);
}

function variableRows(schema: z.ZodObject, isOne: (name: string) => boolean = () => true): Row[] {
  return Object.entries(schema.shape)
    .filter(([name]) => isOne(name) && !FIRST.includes(name))
    .map(([name, variable]) => rowOf(name, variable));
}

const rowOf = (name: string, variable: z.core.$ZodType): Row => [
  `\`${name}\``,
  standardOf(variable),
  described(name, variable),
];

/** The default value; a schema that cannot state it briefly uses `unset`. */
function standardOf(variable: z.core.$ZodType): string {
  const { unset } = z.globalRegistry.get(variable) ?? {};
  if (typeof unset === 'string') return unset;
  const { default: written } = asJson(variable);
  const parsed = z.safeParse(variable, undefined);
  if (written === undefined && !parsed.success) return 'required';
  return valueOf(written ?? parsed.data);
}

const asJson = (schema: z.core.$ZodType): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;

function described(name: string, variable: z.core.$ZodType): string {
  const { description } = z.globalRegistry.get(variable) ?? {};
  if (description === undefined) throw new Error(`${name} does not say what it is: describe it`);
  return description;
}

function valueOf(value: unknown): string {
  const isNothing = value === undefined || (typeof value === 'object' && isEmpty(value));
  if (isNothing) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return codes(text.split(','));
}

const isEmpty = (value: object | null): boolean => Object.keys(value ?? {}).length === 0;

function repository(): string {
  return table(['setting', 'type', 'default', 'description'], settingRows(settingsSchema()));
}

function variableWords(): string {
  const { plain, addresses, secrets, single } = VARIABLE_WORDS;
  const listed = (words: string): string => codes(words.split(' ').map((word) => `_${word}`));
  return table(
    ['the name ends in', 'operator', 'repository', 'redacted'],
    [
      [listed(plain), 'yes', 'yes', 'no'],
      [
        listed(addresses),
        'yes',
        'yes, unless it contains a password',
        'yes, if the operator gives it',
      ],
      [listed(secrets), 'yes', 'no', 'yes'],
      [
        `one of these whole names: ${codes(single.split(' '))}`,
        'yes',
        'yes, but not `PGPASSWORD`',
        'only `PGPASSWORD`',
      ],
    ],
  );
}

/** What counts for a setting that is not given and has no default of its own. */
const UNSET: ReadonlyMap<string, string> = new Map([
  ['model', "the operator's first model"],
  ['protocol', "the operator's `PROTOCOL`"],
  ['limits.turns', "the operator's limit"],
  ['limits.minutes', "the operator's limit"],
  ['limits.dollars', "the operator's limit"],
  ['limits.review_rounds', String(REVIEW_ROUNDS)],
  ['limits.ci_rounds', String(DEFAULT_CI_ROUNDS)],
  ['models.allow', 'all'],
  ['paths.allow', 'all files'],
  ['review.paths', 'all files'],
  ['commands.allow', 'all'],
  ['sparse', 'all'],
  ['mcp', 'all'],
  ['base', 'the default branch'],
  ['language', 'the language of the issue'],
  ['instructions', "the operator's `INSTRUCTION_FILES`"],
  ['test', 'detected'],
]);

/** A row for each setting; for a group, one for each setting of it. */
function settingRows({ properties = {} }: Schema, place = ''): Row[] {
  return Object.entries(properties).flatMap(([name, setting]) => {
    const path = `${place}${name}`;
    const forms = [setting, ...(setting.anyOf ?? [])];
    const members = forms.flatMap((form) => settingRows(form, `${path}.`));
    if (setting.description === undefined && members.length > 0) return members;
    if (setting.description === undefined)
      throw new Error(`${path} does not say what it is: describe it`);
    const standard = UNSET.get(path) ?? valueOf(setting.default);
    const row = [`\`${path}\``, kindOf(setting), standard, setting.description];
    return [row, ...members];
  });
}
