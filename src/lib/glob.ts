import { RE2JS } from 're2js';

/**
 * The matcher of a glob as .gitignore and shells write it: `*` and `?` stay within one name, `**`
 * crosses directories, `[a-z]` and `[!a-z]` are classes, `\` takes the next character literally.
 * Matches whole paths in time linear to their length, whatever the pattern.
 * @throws {Error} for a class that no expression can hold, such as `[z-a]`
 */
export function compileGlob(glob: string): (path: string) => boolean {
  const expression = RE2JS.compile(globToExpression(glob), RE2JS.DOTALL);
  return (path) => expression.matches(path);
}

function globToExpression(glob: string): string {
  let expression = '';
  let position = 0;
  while (position < glob.length) {
    const atNameStart = position === 0 || glob[position - 1] === '/';
    const piece = readPiece(glob.slice(position), atNameStart);
    expression += piece.expression;
    position += piece.length;
  }
  return expression;
}

interface Piece {
  readonly length: number;
  readonly expression: string;
}

function readPiece(rest: string, atNameStart: boolean): Piece {
  const stars = /^\*+/.exec(rest)?.[0].length ?? 0;
  // Two or more alone between slashes, as git counts them.
  if (atNameStart && stars >= 2) {
    if (rest[stars] === '/') return { length: stars + 1, expression: '(?:[^/]+/)*' };
    if (rest.length === stars) return { length: stars, expression: '.+' };
  }
  if (stars > 0) return { length: stars, expression: '[^/]*' };
  if (rest.startsWith('?')) return { length: 1, expression: '[^/]' };
  return readClass(rest) ?? readLiteral(rest);
}

function readClass(rest: string): Piece | undefined {
  const [whole, negation, members] = /^\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]/s.exec(rest) ?? [];
  if (whole === undefined || members === undefined || members === '') return undefined;
  const plain = members.replaceAll(/\\(\w)/g, '$1').replaceAll(/^\]|\[/g, '\\$&');
  return { length: whole.length, expression: negation === '' ? `[${plain}]` : `[^/${plain}]` };
}

function readLiteral(rest: string): Piece {
  const escaped = /^\\(.)/su.exec(rest);
  const literal = escaped?.[1] ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
  return { length: escaped?.[0].length ?? literal.length, expression: RE2JS.quote(literal) };
}
