import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../rest/route.ts';
import type { Viewer } from './forms.ts';

export interface Address {
  Params: {
    owner: string;
    repo: string;
    number: string;
    sha: string;
    login: string;
    id: string;
    run: string;
  };
}
export type PageRequest = FastifyRequest<Address>;

/** Adds a page. */
export type GetPage = (
  url: string,
  answer: (request: PageRequest, reply: FastifyReply) => unknown,
) => void;

/** All people, and the one who acted last in this browser. */
export function viewerOf({ world }: Services, request: PageRequest): Viewer {
  const people = [...world.users.values()].filter((user) => user.type === 'User');
  const login = /(?:^|; )as=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
  const last = people.find((user) => encodeURIComponent(user.login) === login);
  return { people, current: last ?? people[0] };
}
