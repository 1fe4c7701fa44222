import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { openStage, Stage, StageOptions } from '../../packages/local-github/src/stage.ts';

/** A checkout of the service that is measured; two of them are measured in turns. */
export interface Tree {
  readonly name: string;
  readonly directory: string;
}

export const OWN_TREE: Tree = {
  name: 'this version',
  directory: fileURLToPath(new URL('../..', import.meta.url)),
};

export const otherTree = (directory: string): Tree => ({
  name: path.basename(directory),
  directory: path.resolve(directory),
});

export const urlIn = ({ directory }: Tree, file: string): URL =>
  pathToFileURL(path.join(directory, file));

/** A stage with the service of that checkout. */
export async function openStageOf(tree: Tree, options: StageOptions): Promise<Stage> {
  const module: unknown = await import(urlIn(tree, 'packages/local-github/src/stage.ts').href);
  return (module as { readonly openStage: typeof openStage }).openStage(options);
}
