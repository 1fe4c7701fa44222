// What people with enough access do with whole issues and repositories.
import { deleteRepository, forkRepository } from './actions/forks.ts';
import { findIssue } from './actions/issues.ts';
import { deleteIssue, lockIssue, moveRepository, transferIssue } from './actions/moves.ts';
import { changeMergeSettings } from './actions/repositories.ts';
import { addRuleset, findRuleset, removeRuleset } from './actions/rulesets.ts';
import { GitHubError } from './github-error.ts';
import type { Hub } from './hub.ts';
import { hasRole } from './rest/access.ts';
import type { NewRuleset, Ruleset } from './rules/ruleset.ts';
import type { Issue, MergeSettings, Repository, Role, User } from './state.ts';

/** An issue or pull request, by its repository and number. */
export interface Thread {
  readonly repository: Repository;
  readonly number: number;
}

export class Keeper {
  readonly user: User;
  protected readonly hub: Hub;

  constructor(hub: Hub, user: User) {
    this.hub = hub;
    this.user = user;
  }

  /** Throws GitHub's 403 if the person has a lesser role. */
  protected need(repository: Repository, role: Role): void {
    if (!hasRole(repository, this.user, role))
      throw new GitHubError(
        'role-required',
        403,
        `${this.user.login} needs the role ${role} for this`,
      );
  }

  lock({ repository, number }: Thread, locked = true): void {
    this.need(repository, 'write');
    lockIssue(this.hub, repository, this.user, findIssue(repository, number), locked);
  }

  /** Returns the issue in the other repository. */
  transfer({ repository, number }: Thread, to: Repository): Issue {
    for (const one of [repository, to]) this.need(one, 'write');
    return transferIssue(this.hub, repository, this.user, findIssue(repository, number), to);
  }

  deleteIssue({ repository, number }: Thread): void {
    this.need(repository, 'admin');
    deleteIssue(this.hub, repository, this.user, findIssue(repository, number));
  }

  rename(repository: Repository, name: string): void {
    this.need(repository, 'admin');
    moveRepository(this.hub.world, repository, { name });
  }

  /** Resolves with this person's fork of the repository. */
  fork(repository: Repository): Promise<Repository> {
    return this.hub.world.exclusively(repository, () =>
      forkRepository(this.hub, repository, this.user),
    );
  }

  deleteFork(fork: Repository): void {
    deleteRepository(this.hub, fork);
  }

  addRuleset(repository: Repository, ruleset: NewRuleset): Ruleset {
    this.need(repository, 'admin');
    return addRuleset(this.hub, repository, ruleset);
  }

  removeRuleset(repository: Repository, id: number): void {
    this.need(repository, 'admin');
    removeRuleset(this.hub, repository, findRuleset(repository, id));
  }

  /** Such as whether auto-merge is allowed. */
  changeMergeSettings(repository: Repository, settings: Partial<MergeSettings>): void {
    this.need(repository, 'admin');
    changeMergeSettings(this.hub.world, repository, settings);
  }

  /** Makes the repository read-only, or writable again. */
  archive(repository: Repository, archived = true): void {
    this.need(repository, 'admin');
    repository.archived = archived;
    this.hub.world.changed();
  }
}
