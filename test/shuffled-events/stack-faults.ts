// What must hold of two pull requests that are based on one another.
import type { Delivery } from '../../packages/local-github/src/github/webhooks.ts';
import { commentsOf, type Evidence } from './faults.ts';
import type { Place } from './place.ts';

/** `wasFirst`: the one below ended before people were done with the one above. */
export function stackFaults(
  below: Evidence,
  above: Evidence,
  wasFirst: boolean,
): readonly string[] {
  const { place: lower } = below;
  const { place: upper } = above;
  const begun = above.entries.find((entry) => entry.type === 'base_chosen');
  const { base } = upper.pull.pull;
  const isLeft = lower.ended === 'merge' && wasFirst;
  const changes = baseChanges(upper);
  const told = commentsOf(upper).filter(({ body }) => /:base:\d+ -->$/.test(body)).length;
  return [
    ...(begun?.found.kind === 'based' ? [] : ['the one above is not based on the one below']),
    ...(isLeft && base !== 'main' ? [`the one above still goes to ${base}`] : []),
    ...(lower.ended === 'merge' || base === lower.branch ? [] : [`the one above goes to ${base}`]),
    ...(changes > 1 ? [`its base was changed ${changes} times`] : []),
    ...(told > 1 ? [`people were told ${told} times that the one below was closed`] : []),
  ];
}

const baseChanges = ({ scene, repository, pull }: Place): number =>
  scene.github.deliveries.filter(
    ({ event, action, payload, repositoryId, redelivery }: Delivery) => {
      const { number, changes } = payload as { number?: unknown; changes?: object };
      const isEdit = event === 'pull_request' && action === 'edited' && !redelivery;
      const isMeant = repositoryId === repository.id && number === pull.number;
      return isEdit && isMeant && changes !== undefined && 'base' in changes;
    },
  ).length;
