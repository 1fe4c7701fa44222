// Kubernetes' own schemas, of the package kubernetes-models.
import { validate as isDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as isService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { z } from 'zod';

const VALIDATORS: ReadonlyMap<string, (data: unknown) => boolean> = new Map([
  ['apps/v1 Deployment', isDeployment],
  ['v1 Service', isService],
]);

const Manifest = z.looseObject({ apiVersion: z.string(), kind: z.string() });
const Errors = z.array(z.object({ instancePath: z.string(), keyword: z.string() })).nullish();

/** Whose keys anyone may choose. */
const FREE = /\/(?:labels|matchLabels|annotations|selector)\/[^/]+$/;

/** What a manifest has that Kubernetes would not take, as paths; fields that it does not know are among them. */
export function manifestFaults(data: unknown): string[] {
  const { apiVersion, kind } = Manifest.parse(data);
  const validate = VALIDATORS.get(`${apiVersion} ${kind}`);
  if (validate === undefined) return [`there is no schema for ${apiVersion} ${kind}`];
  const unread: (() => string[])[] = [];
  const isValid = validate(watched(data, '', unread));
  const { errors } = z
    .object({ errors: Errors })
    .parse({ errors: Reflect.get(validate, 'errors') });
  const wrong = isValid ? [] : (errors ?? []).map((one) => `${one.instancePath}: ${one.keyword}`);
  const unknown = unread.flatMap((paths) => paths()).filter((path) => !FREE.test(path));
  return [...wrong, ...unknown.map((path) => `${path}: unknown`)];
}

/** A copy that tells which fields nobody looked at: the schemas allow any, and look at those that they know. */
function watched(value: unknown, path: string, unread: (() => string[])[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const read = new Set<string | symbol>();
  unread.push(() =>
    Object.keys(value)
      .filter((key) => !read.has(key))
      .map((key) => `${path}/${key}`),
  );
  const inner = Object.entries(value).map(
    ([key, field]: [string, unknown]) => [key, watched(field, `${path}/${key}`, unread)] as const,
  );
  const copy = Array.isArray(value) ? inner.map(([, field]) => field) : Object.fromEntries(inner);
  return new Proxy<object>(copy, {
    get: (target, key) => {
      read.add(key);
      return Reflect.get(target, key) as unknown;
    },
  });
}
