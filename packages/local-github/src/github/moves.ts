// Renamed repositories and branches, and transferred issues. Requests to the old address are redirected (rules `moved-repository` and
// `renamed-branch`).
import type { Repository } from './state.ts';

/** An issue in the repository that it was moved to. */
export interface MovedIssue {
  readonly repository: Repository;
  readonly number: number;
}

export class Moves {
  readonly #repositories = new Map<string, Repository>();
  readonly #issues = new Map<string, MovedIssue>();
  /** Not kept with the world. */
  readonly #branches = new Map<string, string>();

  repositoryRenamed(before: string, repository: Repository): void {
    this.#repositories.set(before.toLowerCase(), repository);
  }

  /** A new repository has the name, which ends the redirects (rule `reused-name`). */
  nameTaken(fullName: string): void {
    this.#repositories.delete(fullName.toLowerCase());
  }

  issueTransferred(from: Repository, number: number, to: MovedIssue): void {
    this.#issues.set(`${from.id}#${number}`, to);
  }

  /** `undefined`: no repository had this name before. */
  repository(fullName: string): Repository | undefined {
    return this.#repositories.get(fullName.toLowerCase());
  }

  /** All moves, with ids of repositories: old name → id, and `ID#NUMBER` → id and number. */
  entries(): { formerNames: [string, number][]; formerIssues: [string, number, number][] } {
    return {
      formerNames: [...this.#repositories].map(([name, { id }]) => [name, id]),
      formerIssues: [...this.#issues].map(([from, to]) => [from, to.repository.id, to.number]),
    };
  }

  branchRenamed({ id }: Repository, from: string, to: string): void {
    this.#branches.set(`${id} ${from}`, to);
  }

  /** `undefined`: no branch had this name before. */
  branch({ id }: Repository, name: string): string | undefined {
    return this.#branches.get(`${id} ${name}`);
  }

  issue(from: Repository, number: number): MovedIssue | undefined {
    return this.#issues.get(`${from.id}#${number}`);
  }
}
