import type { Reaction } from '../state.ts';
import { REACTIONS, nodeId } from '../state.ts';
import type { World } from '../world.ts';
import { userPayload } from './user.ts';

export function reactionPayload(world: World, reaction: Reaction) {
  return {
    id: reaction.id,
    node_id: nodeId('REA', reaction.id),
    user: userPayload(world, reaction.user),
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}

/** The reaction counts of issues and comments. */
export function reactionCounts(url: string, reactions: readonly Reaction[]) {
  const counts = REACTIONS.map((content) => [
    content,
    reactions.filter((reaction) => reaction.content === content).length,
  ]);
  return { url: `${url}/reactions`, total_count: reactions.length, ...Object.fromEntries(counts) };
}
