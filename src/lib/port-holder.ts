import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { unlessItFails } from './errors.ts';

/** `0A` is TCP_LISTEN (include/net/tcp_states.h of Linux). */
const LISTENS = '0A';

/**
 * The program that listens on a port of this machine, such as `nginx (PID 12)`, or whose it is if only another user may
 * know more. `undefined`: none is seen, or this is no Linux.
 */
export function holderOfPort(port: number): string | undefined {
  const sockets = ['tcp', 'tcp6'].flatMap((table) => socketsOn(table, port));
  const names = new Set(sockets.map(({ inode }) => `socket:[${inode}]`));
  const holder =
    sockets.length === 0 ? undefined : numbersIn('/proc').find((id) => holds(id, names));
  if (holder !== undefined) {
    // The other words may have secrets.
    const words = unlessItFails(() => readFileSync(`/proc/${holder}/cmdline`, 'utf8').split('\0'));
    return `${basename(words?.[0] ?? '') || 'a program'} (PID ${holder})`;
  }
  return sockets[0] && `a program of user ${sockets[0].user}`;
}

function socketsOn(table: string, port: number) {
  const text = unlessItFails(() => readFileSync(`/proc/net/${table}`, 'utf8')) ?? '';
  // The columns: a number, local address, remote address, state, two queues, timers, retransmissions, user, timeout, inode.
  const rows = text.split('\n').map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([, local = '', , state, , , , user = '', , inode = '']) =>
    state === LISTENS && Number.parseInt(local.split(':')[1] ?? '', 16) === port
      ? [{ user, inode }]
      : [],
  );
}

const numbersIn = (directory: string): number[] =>
  (unlessItFails(() => readdirSync(directory)) ?? []).map(Number).filter((one) => one >= 0);

const holds = (id: number, names: ReadonlySet<string>): boolean =>
  numbersIn(`/proc/${id}/fd`).some((one) =>
    names.has(unlessItFails(() => readlinkSync(`/proc/${id}/fd/${one}`)) ?? ''),
  );
