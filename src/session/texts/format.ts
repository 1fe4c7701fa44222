// Numbers and times as people read them, on GitHub and on the session page.
import type { Usage } from '../../contracts/model.ts';
import type { Cost } from '../parts/session-counts.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "0.4 s", "8 s", "3 min 12 s", "1 h 4 min", "2 d 3 h"; a negative time counts as 0. */
export function duration(milliseconds: number): string {
  const time = Math.max(0, milliseconds);
  if (time < 10 * SECOND) return `${Math.round(time / 100) / 10} s`;
  if (time < MINUTE) return `${Math.floor(time / SECOND)} s`;
  if (time < HOUR) return two(time, MINUTE, 'min', SECOND, 's');
  if (time < DAY) return two(time, HOUR, 'h', MINUTE, 'min');
  return two(time, DAY, 'd', HOUR, 'h');
}

/** "sha256:0123456789ab": as engines shorten it. */
export const shortDigest = (digest: string): string => digest.slice(0, 'sha256:'.length + 12);

/** What it cost to have an image here. */
export const imageCost = (seconds: number | undefined): string =>
  seconds === undefined
    ? 'which was here already'
    : `fetched and unpacked in ${duration(seconds * SECOND)}`;

/** "8 s", "12 min", "5 h", "3 d": in one unit. */
export function age(milliseconds: number): string {
  const [unit, name] = UNITS.find(([least]) => milliseconds >= least) ?? [SECOND, 's'];
  return `${Math.max(0, Math.floor(milliseconds / unit))} ${name}`;
}

const UNITS: readonly (readonly [number, string])[] = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
];

function two(time: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((time % big) / small);
  const first = `${Math.floor(time / big)} ${bigName}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

/** "842", "12.3k", "1.2M" */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_950) return `${trimmed(count / 1000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

const trimmed = (value: number): string => value.toFixed(1).replace(/\.0$/, '');

/** "31.2k tokens in (24.6k cached), 1.9k out (840 of them reasoning)" */
export function tokensUsed(
  { input, cached, output, reasoning, isEstimated }: Usage,
  unit = ' tokens',
): string {
  const known = cached === 0 ? '' : ` (${tokens(cached)} cached)`;
  const unseen = reasoning === 0 ? '' : ` (${tokens(reasoning)} of them reasoning)`;
  const estimated = isEstimated === true ? ', estimated' : '';
  return `${tokens(input)}${unit} in${known}, ${tokens(output)} out${unseen}${estimated}`;
}

const CENT = 0.01;

/** "$0.42", "less than $0.01" */
export function dollars(amount: number): string {
  if (amount > 0 && amount < CENT) return 'less than $0.01';
  return `$${amount.toFixed(2)}`;
}

/** "2.3 s · 5.2k in (4.1k cached), 310 out · $0.01" of one request; an unknown price is left out. */
export function spending(request: {
  readonly durationMs: number;
  readonly usage: Usage;
  readonly cost: number | null;
}): string {
  const parts = [duration(request.durationMs), tokensUsed(request.usage, '')];
  if (request.cost !== null) parts.push(dollars(request.cost));
  return parts.join(' · ');
}

/** The cost, as far as the prices are known. */
export const cost = (spent: Cost): string =>
  `${briefCost(spent)}${spent.isPartial && spent.dollars >= CENT ? ' (some prices are unknown)' : ''}`;

/** The same where there is no room for the reason. */
export function briefCost({ dollars: amount, isPartial }: Cost): string {
  if (!isPartial) return dollars(amount);
  return amount < CENT ? 'price unknown' : `at least ${dollars(amount)}`;
}

/** "1 reply", "2 replies" */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** "14:03 UTC" of an ISO time. */
export const clock = (iso: string): string => `${new Date(iso).toISOString().slice(11, 16)} UTC`;

/** "21 Nov 2026, 14:03 UTC" of an ISO time. */
export const day = (iso: string): string => {
  const [, date = '', month = '', year = ''] = new Date(iso).toUTCString().split(/[ ,]+/);
  return `${Number(date)} ${month} ${year}, ${clock(iso)}`;
};

/** The first line that is not blank. */
export const firstLine = (text: string): string => text.trim().split(/\r?\n/, 1)[0] ?? '';

export const shortSha = (sha: string): string => sha.slice(0, 7);
