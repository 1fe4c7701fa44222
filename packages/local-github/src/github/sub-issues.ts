// Which issue is a sub-issue of which.
import type { Issue, Repository } from './state.ts';
import type { World } from './world.ts';

export interface PlacedIssue {
  readonly repository: Repository;
  readonly issue: Issue;
}

const placedIssues = (world: World): readonly PlacedIssue[] =>
  [...world.repositories.values()].flatMap((repository) =>
    repository.issues.map((issue) => ({ repository, issue })),
  );

export const issueWithId = (world: World, id: number): PlacedIssue | undefined =>
  placedIssues(world).find(({ issue }) => issue.id === id && issue.pull === undefined);

/** In their order. */
export const childrenOf = (world: World, { subIssues = [] }: Issue): readonly PlacedIssue[] =>
  subIssues.flatMap((id) => issueWithId(world, id) ?? []);

export const parentOf = (world: World, { id }: Issue): PlacedIssue | undefined =>
  placedIssues(world).find(({ issue }) => issue.subIssues?.includes(id) === true);
