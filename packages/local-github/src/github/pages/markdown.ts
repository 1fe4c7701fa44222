// Markdown on the pages: the HTML of `body_html`, made accessible. The page's policy blocks scripts.
import type { Html } from '../../../../../src/lib/text/html.ts';
import { trusted } from '../../../../../src/lib/text/html.ts';
import { renderForPage } from '../markdown/index.ts';
import { surroundings } from '../payloads/body.ts';
import type { Repository } from '../state.ts';
import type { World } from '../world.ts';

/** Renders a comment, or a document such as a README. */
export type Render = (text: string, mode?: 'gfm' | 'markdown') => Html;

export const rendererIn =
  (world: World, repository: Repository): Render =>
  (text, mode = 'gfm') =>
    trusted(renderForPage(text, mode, surroundings(world, repository)));
