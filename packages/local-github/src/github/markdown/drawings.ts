// Diagrams and highlighted code in GitHub's HTML (rule `markdown-of-github`).
import { randomUUID } from 'node:crypto';
import type { Element } from 'hast';
import { MATH } from './parser.ts';
import { textNode } from './references.ts';

const classesOf = ({ properties }: Element): string[] =>
  Array.isArray(properties['className']) ? properties['className'].map(String) : [];

export const isMath = (element: Element): boolean =>
  element.tagName === 'code' && classesOf(element).includes(MATH);

const element = (
  tagName: string,
  properties: Element['properties'],
  ...children: Element['children']
): Element => ({ type: 'element', tagName, properties, children });

export function mathRenderer(text: string): Element {
  const [kind, display] = text.startsWith('$$') ? ['display', 'block'] : ['inline', 'inline-block'];
  const properties = { className: [`js-${kind}-math`], style: `display: ${display}` };
  return element('math-renderer', properties, textNode(text));
}

const DRAWN = new Set(['mermaid', 'geojson', 'topojson', 'stl']);

/** A code block with GitHub's wrapper for its language. */
export function frameCode(pre: Element, text: string): Element | undefined {
  const [code] = pre.children;
  const language =
    code?.type === 'element' && code.tagName === 'code'
      ? classesOf(code)
          .find((name) => name.startsWith('language-'))
          ?.slice('language-'.length)
      : undefined;
  const name = language ?? pre.properties['lang'];
  if (typeof name !== 'string' || !/^[\w+#.-]+$/.test(name)) {
    pre.properties['className'] = ['notranslate'];
    return undefined;
  }
  if (DRAWN.has(name)) return drawing(name, text);
  if (name === 'math') return mathRenderer(`$$${text.trim()}$$`);
  return element(
    'div',
    { className: ['highlight', `highlight-source-${name}`], dir: 'auto' },
    element('pre', { className: ['notranslate'] }, textNode(text)),
  );
}

function drawing(type: string, text: string): Element {
  const plain = text.trimEnd();
  const raw = element('pre', { lang: type, ariaLabel: `Raw ${type} code` }, textNode(plain));
  const target = element(
    'div',
    {
      className: ['js-render-enrichment-target'],
      dataJson: JSON.stringify({ data: plain }),
      dataPlain: plain,
      dir: 'auto',
    },
    element('div', { className: ['render-plaintext-hidden'], dir: 'auto' }, raw),
  );
  const properties = {
    className: ['js-render-needs-enrichment', 'render-needs-enrichment', 'position-relative'],
    dataIdentity: randomUUID(),
    dataType: type,
    ariaLabel: `${type} rendered output container`,
  };
  return element('section', properties, target);
}
