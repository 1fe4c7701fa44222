// Markdown on the pages: the same HTML as `body_html`. The page's policy blocks scripts.
import type { Html } from '../../../src/lib/html.ts';
import { trusted } from '../../../src/lib/html.ts';
import { renderMarkdown } from '../markdown/index.ts';
import { surroundings } from '../payloads/body.ts';
import type { Repository } from '../state.ts';
import type { World } from '../world.ts';

/** Renders a comment, or a document such as a README. */
export type Render = (text: string, mode?: 'gfm' | 'markdown') => Html;

export const rendererIn =
  (world: World, repository: Repository): Render =>
  (text, mode = 'gfm') =>
    trusted(renderMarkdown(text, mode, surroundings(world, repository)));
