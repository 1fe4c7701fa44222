import { TellModel } from '../../lib/errors.ts';
import { quotePath } from './path-policy.ts';
import { folded } from './repository-paths.ts';

/** The submodules of a repository, in any spelling of their paths. */
export class Submodules {
  readonly #paths: ReadonlyMap<string, string>;

  constructor(paths: readonly string[]) {
    this.#paths = new Map(paths.map((path) => [folded(path), path]));
  }

  /** @throws {TellModel} for a submodule, and all below it */
  requireOutside(names: readonly string[]): void {
    if (this.#paths.size === 0) return;
    const around = names.map((_, at) => folded(names.slice(0, at + 1).join('/')));
    const [submodule] = around.flatMap((path) => this.#paths.get(path) ?? []);
    if (submodule === undefined) return;
    throw new TellModel(
      `The path ${quotePath(names.join('/'))} is in the submodule ${quotePath(submodule)}, which is another repository: its files cannot be changed here. Describe the change in the pull request instead.`,
    );
  }
}
