import { TellModel } from '../../lib/errors.ts';
import { isStoredAsIs, MAX_POINTER_BYTES } from '../../lib/lfs-pointer.ts';
import { unlessItFails } from '../../lib/unless-it-fails.ts';
import { AttributeRules } from './attributes.ts';
import type { ContainedTree } from './contained-tree.ts';
import { quotePath } from './path-policy.ts';

/** The files whose contents Git LFS stores: here they are pointers, and stay what they are. */
export class LfsFiles {
  readonly #tree: ContainedTree;
  readonly #denied = new Set<string>();

  constructor(tree: ContainedTree) {
    this.#tree = tree;
  }

  /** What tools were to write and did not. */
  get denied(): readonly string[] {
    return [...this.#denied].toSorted();
  }

  /** @throws {TellModel} if a commit could not have this content at the path */
  requireWritable(names: readonly string[], content: Uint8Array | undefined): void {
    const path = names.join('/');
    this.#denied.delete(path);
    if ((content !== undefined && isStoredAsIs(content)) || !this.#rules().isInLfs(path)) return;
    this.#denied.add(path);
    throw new TellModel(
      `The path ${quotePath(path)} cannot be written: .gitattributes has Git LFS store it, which is not used here. ` +
        'A pointer can be moved, deleted, or replaced by one that the repository has already. Describe the change in the pull request instead.',
    );
  }

  /** The same for what is there. */
  requireMovable(from: readonly string[], to: readonly string[]): void {
    this.requireWritable(to, this.#pointerAt(from));
  }

  /** Tells whether a file that is there is one that commits leave out. */
  leftOut(): (path: string) => boolean {
    const rules = this.#rules();
    return (path) => {
      if (!rules.isInLfs(path)) return false;
      const content = this.#pointerAt(path.split('/'));
      return content === undefined || !isStoredAsIs(content);
    };
  }

  #rules(): AttributeRules {
    return new AttributeRules(this.#tree);
  }

  /** `undefined`: what is there is too large for a pointer, or no file. */
  #pointerAt(names: readonly string[]): Uint8Array | undefined {
    return unlessItFails(() => this.#tree.read(names, MAX_POINTER_BYTES));
  }
}
