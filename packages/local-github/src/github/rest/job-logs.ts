// The texts of logs, at addresses that are valid for a minute. No credentials are accepted (rule `log-address`): the
// signature in the address is all that counts.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { GitHubError } from '../github-error.ts';
import type { World } from '../world.ts';
import type { RestRequest, Route } from './route.ts';
import { numberParam } from './route.ts';

const LIFE_MS = 60_000;

/** On another origin than the API, so that clients do not send their token there. */
export function logAddress(world: World, id: number): string {
  const expires = String(Date.now() + LIFE_MS);
  const url = new URL(`/_logs/${id}`, world.url);
  url.hostname = 'localhost';
  url.searchParams.set('se', expires);
  url.searchParams.set('sig', signatureOf(world, id, expires));
  return url.href;
}

const signatureOf = ({ logKey }: World, id: number, expires: string): string =>
  createHmac('sha256', logKey).update(`${id} ${expires}`).digest('hex');

function read(request: RestRequest) {
  const { world } = request.services;
  const id = numberParam(request, 'id');
  const { se = '', sig = '' } = request.query;
  const expected = signatureOf(world, id, se);
  const isSigned =
    sig.length === expected.length && timingSafeEqual(Buffer.from(sig), Buffer.from(expected));
  if (request.actor.kind !== 'anonymous' || !isSigned || Number(se) < Date.now())
    throw new GitHubError('log-address', 403, 'Server failed to authenticate the request.');
  const jobs = [...world.repositories.values()].flatMap(({ checks }) => checks.jobs);
  const body = jobs.find((job) => job.id === id)?.log ?? '';
  return { status: 200, body, headers: { 'content-type': 'text/plain; charset=utf-8' } };
}

export const logRoute: Route = { method: 'GET', path: '/_logs/:id', handle: read };
