// What a tool's schema says of headers: a server over HTTP may have arguments repeated there (`x-mcp-header`), since revision 2026-07-28.
import { isSchemaObject } from './safe-schema.ts';

const KEY = 'x-mcp-header';
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** A name of a header, by RFC 9110. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const MAX_DEPTH = 100;

/** Why clients must not use the tool; the words follow "its arguments". `undefined` if nothing speaks against it. */
export function headerFault(schema: unknown): string | undefined {
  const names = new Set<string>();
  const faultAt = (node: unknown, depth: number, isReachable: boolean): string | undefined => {
    if (depth > MAX_DEPTH) return `are nested more than ${MAX_DEPTH} deep`;
    if (Array.isArray(node)) return firstFault(node, depth, false);
    if (!isSchemaObject(node)) return undefined;
    if (Object.hasOwn(node, KEY)) {
      const name: unknown = node[KEY];
      if (!isReachable || depth === 0) return `declare a header (${KEY}) where none may be`;
      if (typeof name !== 'string' || !TOKEN.test(name)) return 'declare a header without a name';
      if (!TYPES.has(node['type'])) return 'declare a header for what is no simple value';
      if (names.has(name.toLowerCase())) return 'declare the same header twice';
      names.add(name.toLowerCase());
    }
    const { properties, [KEY]: _header, ...others } = node;
    const inner = isSchemaObject(properties) ? Object.values(properties) : [];
    return firstFault(inner, depth, isReachable) ?? firstFault(Object.values(others), depth, false);
  };
  const firstFault = (nodes: readonly unknown[], depth: number, isReachable: boolean) => {
    for (const node of nodes) {
      const fault = faultAt(node, depth + 1, isReachable);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return faultAt(schema, 0, true);
}
