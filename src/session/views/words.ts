// How numbers and times read, on GitHub and on the session page.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "0.4 s", "8 s", "3 min 12 s", "1 h 4 min", "2 d 3 h"; what is negative counts as nothing. */
export function duration(milliseconds: number): string {
  const time = Math.max(0, milliseconds);
  if (time < 10 * SECOND) return `${Math.round(time / 100) / 10} s`;
  if (time < MINUTE) return `${Math.floor(time / SECOND)} s`;
  if (time < HOUR) return two(time, MINUTE, 'min', SECOND, 's');
  if (time < DAY) return two(time, HOUR, 'h', MINUTE, 'min');
  return two(time, DAY, 'd', HOUR, 'h');
}

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

/** "1 reply", "2 replies" */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** "14:03 UTC" of an ISO time. */
export const clock = (iso: string): string => `${new Date(iso).toISOString().slice(11, 16)} UTC`;

/** The first line that says something. */
export const firstLine = (text: string): string => text.trim().split(/\r?\n/, 1)[0] ?? '';

export const shortSha = (sha: string): string => sha.slice(0, 7);
