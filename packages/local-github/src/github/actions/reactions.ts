import { GitHubError } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import type { Reaction, ReactionContent, User } from '../state.ts';
import { timestamp } from '../state.ts';

/** Adds a reaction. `isNew` is false if the person already had it. */
export function react(
  hub: Hub,
  actor: User,
  reactions: Reaction[],
  content: ReactionContent,
): { reaction: Reaction; isNew: boolean } {
  const known = reactions.find((one) => one.content === content && one.user.id === actor.id);
  if (known !== undefined && hub.world.rules.holds('reaction-once'))
    return { reaction: known, isNew: false };
  const reaction = { id: hub.world.nextId(), content, user: actor, createdAt: timestamp() };
  reactions.push(reaction);
  hub.world.changed();
  return { reaction, isNew: true };
}

export function unreact(hub: Hub, reactions: Reaction[], id: number): void {
  const index = reactions.findIndex((one) => one.id === id);
  if (index < 0) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  reactions.splice(index, 1);
  hub.world.changed();
}
