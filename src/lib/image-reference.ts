// The names of container images, as `docker pull` reads them.

export interface ImageReference {
  /** Host, and port if it names one. */
  readonly registry: string;
  readonly repository: string;
  readonly tag: string | undefined;
  /** `sha256:` and 64 digits. */
  readonly digest: string | undefined;
}

const HUB = 'docker.io';
const LONGEST = 300;
const REGISTRY = /^[a-z\d][a-z\d.-]*(?::\d{1,5})?$/i;
const COMPONENT = /^[a-z\d][a-z\d._-]*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[a-f\d]{64}$/;

/** `undefined`: it is no such name. Docker Hub is meant where no registry is named. */
export function parseImageReference(text: string): ImageReference | undefined {
  if (text.length > LONGEST) return undefined;
  const [named = '', digest, ...more] = text.split('@');
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return undefined;
  const lastColon = named.lastIndexOf(':');
  const hasTag = lastColon > named.lastIndexOf('/');
  const tag = hasTag ? named.slice(lastColon + 1) : undefined;
  if (tag !== undefined && !TAG.test(tag)) return undefined;
  const place = placeOfImage(hasTag ? named.slice(0, lastColon) : named);
  return place && { ...place, tag, digest };
}

function placeOfImage(path: string): Pick<ImageReference, 'registry' | 'repository'> | undefined {
  const [first = '', ...rest] = path.split('/');
  const hasRegistry = rest.length > 0 && isRegistry(first);
  const registry = hasRegistry ? first : HUB;
  const components = hasRegistry ? rest : path.split('/');
  if (!REGISTRY.test(registry) || !components.every((each) => COMPONENT.test(each)))
    return undefined;
  const isOfficial = registry === HUB && components.length === 1;
  return { registry, repository: [...(isOfficial ? ['library'] : []), ...components].join('/') };
}

const isRegistry = (name: string): boolean => /[.:]/.test(name) || name === 'localhost';

/** For people. */
export const imageName = ({ registry, repository, tag }: ImageReference): string =>
  `${registry}/${repository}${tag === undefined ? '' : `:${tag}`}`;

/** What an operator allows: a repository of a registry, or all below a path of it. */
export interface ImagePattern {
  readonly registry: string;
  /** Ends with `/` if all below is allowed; empty: all of the registry. */
  readonly repository: string;
  /** The registry is spoken to without TLS. What it sends is checked all the same. */
  readonly isPlain: boolean;
}

const PLAIN = 'http://';

/** Of `registry.example.com/team/tools`, or `registry.example.com/team/*`; `http://` before it for a registry without TLS. */
export function parseImagePattern(text: string): ImagePattern | undefined {
  const isPlain = text.startsWith(PLAIN);
  const path = isPlain ? text.slice(PLAIN.length) : text;
  const [registry = '', ...components] = path.split('/');
  const isAll = components.at(-1) === '*';
  const named = isAll ? components.slice(0, -1) : components;
  const isNamed = REGISTRY.test(registry) && isRegistry(registry) && components.length > 0;
  if (!isNamed || !named.every((each) => COMPONENT.test(each))) return undefined;
  const repository = named.map((each) => `${each}/`).join('');
  return { registry, repository: isAll ? repository : repository.slice(0, -1), isPlain };
}

/** The first pattern that allows an image. */
export const allowingPattern = (
  { registry, repository }: ImageReference,
  patterns: readonly ImagePattern[],
): ImagePattern | undefined =>
  patterns.find(
    (one) =>
      one.registry === registry &&
      (one.repository === '' || one.repository.endsWith('/')
        ? repository.startsWith(one.repository)
        : repository === one.repository),
  );
