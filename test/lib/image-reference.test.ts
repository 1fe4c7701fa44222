import { describe, expect, it } from '@jest/globals';
import {
  allowingPattern,
  imageName,
  parseImagePattern,
  parseImageReference,
} from '../../src/lib/image-reference.ts';

const DIGEST = `sha256:${'0f'.repeat(32)}`;

describe('the name of an image', () => {
  it.each([
    ['python', 'docker.io/library/python'],
    ['python:3.12-slim', 'docker.io/library/python:3.12-slim'],
    ['acme/tools', 'docker.io/acme/tools'],
    ['ghcr.io/acme/a/b:v1', 'ghcr.io/acme/a/b:v1'],
    ['localhost/a', 'localhost/a'],
    ['registry.example.com:5000/a', 'registry.example.com:5000/a'],
    [`eclipse-temurin:21@${DIGEST}`, 'docker.io/library/eclipse-temurin:21'],
  ])('reads %s as docker does', (text, name) => {
    const read = parseImageReference(text);
    expect(read && imageName(read)).toBe(name);
  });

  it('reads the digest', () => {
    expect(parseImageReference(`a@${DIGEST}`)).toMatchObject({ tag: undefined, digest: DIGEST });
  });

  it.each([
    '',
    '/',
    'a/',
    '/etc/passwd',
    '../a',
    'a/../b',
    'a b',
    'a:b c',
    '-a',
    '--help',
    'a@',
    'a@sha256:0',
    `a@${DIGEST}@${DIGEST}`,
    'a@md5:00',
    'oci:/etc',
    'docker://a',
    'http://a/b',
    'a:',
    'Acme/tools',
    'a\n',
    `${'a/'.repeat(200)}a`,
  ])('is not %j', (text) => {
    expect(parseImageReference(text)).toBeUndefined();
  });
});

describe('an image that an operator allows', () => {
  const allows = (pattern: string, text: string): boolean => {
    const [one, image] = [parseImagePattern(pattern), parseImageReference(text)];
    return one !== undefined && image !== undefined && allowingPattern(image, [one]) !== undefined;
  };

  it.each([
    ['docker.io/library/python', 'python:3'],
    ['docker.io/*', 'acme/tools'],
    ['ghcr.io/acme/*', 'ghcr.io/acme/a/b'],
    ['http://localhost:5000/*', 'localhost:5000/a'],
  ])('is, by %s, %s', (pattern, text) => {
    expect(allows(pattern, text)).toBe(true);
  });

  it.each([
    ['docker.io/library/python', 'docker.io/library/python2'],
    ['docker.io/library/python', 'evil/python'],
    ['ghcr.io/acme/*', 'ghcr.io/acme'],
    ['ghcr.io/acme/*', 'ghcr.io/acme2/a'],
    ['ghcr.io/acme/*', 'ghcr.io.evil.example/acme/a'],
    ['localhost:5000/*', 'localhost:5001/a'],
  ])('is not, by %s, %s', (pattern, text) => {
    expect(allows(pattern, text)).toBe(false);
  });

  it.each(['python', '*', '*/a', 'ghcr.io', 'https://ghcr.io/a', 'ghcr.io/*/a', 'ghcr.io/a*'])(
    'cannot be named by %s',
    (pattern) => {
      expect(parseImagePattern(pattern)).toBeUndefined();
    },
  );
});
