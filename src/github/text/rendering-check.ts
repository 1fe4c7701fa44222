// Looks through GitHub's rendering of a text for what may not be published under the App's name.
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { withoutInvisible } from '../../lib/text/invisible.ts';
import type { TextRedactor } from '../../lib/text/redact.ts';
import {
  canLoad,
  DRAWN_LANGUAGES,
  mentionsOthers,
  SHOWS_SECRET,
  type AllowedReferences,
} from './harmless.ts';
import { isForeignAddress, type AllowsHost } from './links.ts';
import { createHash } from 'node:crypto';
import type { ProbotOctokit } from 'probot';
import type { RepositoryRef, RepositoryName } from '../../contracts/intent.ts';
import { TryLater } from '../../lib/errors.ts';
import { GitHubDenied, NoAccess, RenderingFailed } from '../errors.ts';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** Elements that GitHub's rendering is made of. An unknown one may load or run something. */
const ELEMENTS: ReadonlySet<string> = new Set(
  `a abbr b bdo blockquote br caption cite clipboard-copy code dd del details dfn div dl dt em figcaption figure
  g-emoji h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark markdown-accessiblity-table math-renderer ol p
  path pre q rp rt ruby s samp section small span strike strong sub summary sup svg table task-lists tbody td
  tfoot th thead time tr tt ul var wbr`.split(/\s+/),
);

/** Attributes that never hold an address. GitHub removes `data-*` from texts. */
const WITHOUT_ADDRESS = /^(?:alt|aria-.*|class|d|data-(?!canonical-src$).*|fallback-src|title)$/;

interface CheckOptions extends Required<Pick<AllowedReferences, 'mentions' | 'links'>> {
  readonly redactor: TextRedactor;
}

/** Why a rendering may not be published; `undefined` if it may. */
export function faultIn(
  html: string,
  { mentions = [], links, redactor }: CheckOptions,
): string | undefined {
  const { childNodes } = parseFragment(html);
  const words = visibleWords(childNodes);
  if (redactor.redact(words) !== words) return SHOWS_SECRET;
  const allowed = new Set(mentions.map((login) => login.toLowerCase()));
  const left: { readonly node: Node; readonly isInert: boolean }[] = [];
  const add = (nodes: readonly Node[], isInert: boolean): void => {
    for (const node of nodes) left.push({ node, isInert });
  };
  add(childNodes, false);
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    const { node, isInert } = item;
    if ('tagName' in node) {
      const fault = faultOf(node, links);
      if (fault !== undefined) return fault;
      add(node.childNodes, isInert || isInertElement(node));
    } else if (node.nodeName === '#comment') return 'a comment';
    else if ('value' in node && !isInert && mentionsOthers(node.value, allowed)) return 'a mention';
  }
  return undefined;
}

/** Where GitHub looks for no mentions. */
const isInertElement = ({ tagName, attrs }: Element): boolean =>
  tagName === 'code' ||
  tagName === 'pre' ||
  attrs.some(({ name, value }) => name === 'href' && value.startsWith('mailto:'));

function faultOf(element: Element, links: AllowsHost | undefined): string | undefined {
  const { tagName, attrs } = element;
  if (!ELEMENTS.has(tagName)) return `the element ${tagName}`;
  if (isDrawing(element) && canLoad(textInElement(element)))
    return 'a drawing that may load something';
  const isEmoji = tagName === 'img' && classesOf(element).includes('emoji');
  for (const { name, value } of attrs) {
    if (WITHOUT_ADDRESS.test(name) || (isEmoji && name === 'src')) continue;
    if (name === 'style' ? /url|\/\/|\\/i.test(value) : isForeignAddress(value, links ?? NO_HOST))
      return `the address in ${name}`;
  }
  return undefined;
}

const NO_HOST: AllowsHost = () => false;

const attribute = ({ attrs }: Element, name: string): string =>
  attrs.find((each) => each.name === name)?.value ?? '';

const classesOf = (element: Element): readonly string[] => attribute(element, 'class').split(/\s+/);

/** A diagram, a map or a formula: GitHub's pages make a picture of its source. */
function isDrawing(element: Element): boolean {
  const languages = [
    attribute(element, 'lang'),
    attribute(element, 'data-type'),
    ...classesOf(element).map((name) => name.replace(/^(?:language|highlight-source)-/, '')),
  ];
  return element.tagName === 'math-renderer' || languages.some((name) => DRAWN_LANGUAGES.has(name));
}

/** Elements that leave no gap between the words before, in and behind them; of an image, all that may be seen is an empty place. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdo cite code del dfn em i img ins kbd mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/** What people read and can copy. Takes out what is invisible. */
function visibleWords(nodes: readonly Node[]): string {
  let text = '';
  const left: (Node | string)[] = nodes.toReversed();
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (typeof node === 'string') text += node;
    else if ('tagName' in node) {
      const gap = INLINE.has(node.tagName) ? '' : '\n';
      left.push(gap, ...node.childNodes.toReversed(), gap);
    } else if ('value' in node) text += node.value;
  }
  return withoutInvisible(text);
}

function textInElement(element: Element): string {
  let text = '';
  const left: Node[] = [...element.childNodes];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if ('tagName' in node) left.push(...node.childNodes);
    else if ('value' in node) text += `${node.value}\n`;
  }
  return text;
}

/** Asks GitHub how it shows a Markdown text in a repository. Writes nothing. */
export async function renderMarkdown(
  octokit: ProbotOctokit,
  { owner, name }: RepositoryName,
  text: string,
): Promise<string> {
  const { data } = await octokit.rest.markdown.render({
    text,
    mode: 'gfm',
    context: `${owner}/${name}`,
    request: { repeatable: true },
  });
  return data;
}

/**
 * Why a text may not be published, as GitHub shows it; `undefined` if it may. `mentions`: who may be notified.
 * @throws {RenderingFailed}
 */
export type CheckRendering = (
  markdown: string,
  mentions: readonly string[],
) => Promise<string | undefined>;

/** What was found, by digest of the text; the oldest goes first. */
export type Verdicts = Map<string, string | undefined>;
const MOST_VERDICTS = 5000;

interface CheckParts {
  readonly octokit: ProbotOctokit;
  readonly repository: RepositoryRef;
  readonly links: AllowsHost;
  readonly redactor: TextRedactor;
  /** Shared by all checks of a process. */
  readonly verdicts: Verdicts;
}

/** Asks GitHub once for each text. */
export function createRenderingCheck(parts: CheckParts): CheckRendering {
  const { octokit, repository, links, redactor, verdicts } = parts;
  return async (markdown, mentions) => {
    const about = JSON.stringify([repository.owner, repository.name, mentions, markdown]);
    const digest = createHash('sha256').update(about).digest('base64');
    if (verdicts.has(digest)) return verdicts.get(digest);
    const html = await rendered(markdown);
    if (html === undefined) return 'GitHub does not render it';
    const fault = faultIn(html, { mentions, links, redactor });
    verdicts.set(digest, fault);
    const [oldest] = verdicts.keys();
    if (verdicts.size > MOST_VERDICTS && oldest !== undefined) verdicts.delete(oldest);
    return fault;
  };

  async function rendered(markdown: string): Promise<string | undefined> {
    try {
      return await renderMarkdown(octokit, repository, markdown);
    } catch (error) {
      if (error instanceof GitHubDenied) return undefined;
      if (!(error instanceof TryLater) || error instanceof NoAccess) throw error;
      const { message, retryAfterMs } = error;
      throw new RenderingFailed(message, { cause: error, retryAfterMs });
    }
  }
}
