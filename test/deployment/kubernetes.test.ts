import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { VARIABLES } from '../../src/config/variables.ts';
import { manifestFaults } from '../support/kubernetes-schemas.ts';

const read = (name: string): string => readFileSync(`kubernetes/${name}`, 'utf8');

const Variable = z.strictObject({ name: z.string(), value: z.string() });
const Probe = z.looseObject({
  httpGet: z.strictObject({ path: z.string(), port: z.string() }),
  periodSeconds: z.number(),
  timeoutSeconds: z.number().optional(),
  failureThreshold: z.number().optional(),
});
const Container = z.looseObject({
  image: z.string(),
  command: z.array(z.string()),
  env: z.array(Variable),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.number() })),
  startupProbe: Probe,
  livenessProbe: Probe,
  readinessProbe: Probe,
  resources: z.looseObject({ limits: z.record(z.string(), z.string()) }),
  securityContext: z.unknown(),
  volumeMounts: z.array(z.looseObject({ mountPath: z.string() })),
});
const Pod = z.looseObject({
  automountServiceAccountToken: z.literal(false),
  terminationGracePeriodSeconds: z.number(),
  securityContext: z.looseObject({ runAsNonRoot: z.literal(true), runAsUser: z.literal(1000) }),
  containers: z.tuple([Container]),
});
const Deployment = z.looseObject({
  kind: z.literal('Deployment'),
  spec: z.looseObject({
    selector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.looseObject({
      metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
      spec: Pod,
    }),
  }),
});

function deploymentIn(file: string) {
  const documents = parseAllDocuments(read(file)).map((one): unknown => one.toJS());
  const { spec } = Deployment.parse(documents.at(-1));
  return { ...spec, pod: spec.template.spec, container: spec.template.spec.containers[0] };
}

describe('the manifests', () => {
  const manifestsIn = (file: string) =>
    parseAllDocuments(read(file)).map((one): unknown => one.toJS());

  it.each(['base/serve.yaml', 'base/work.yaml'])('%s is what Kubernetes takes', (file) => {
    expect(manifestsIn(file).flatMap(manifestFaults)).toEqual([]);
  });

  it('are still so with the patch of the overlay', () => {
    const merged = z
      .object({ spec: z.object({ template: z.object({ spec: z.looseObject({}) }) }) })
      .parse(parse(read('commands/sandbox.yaml')));
    const { containers, ...pod } = z
      .looseObject({ containers: z.tuple([z.looseObject({})]) })
      .parse(merged.spec.template.spec);
    const base = z
      .looseObject({
        spec: z.looseObject({
          template: z.looseObject({
            spec: z.looseObject({ containers: z.tuple([z.looseObject({})]) }),
          }),
        }),
      })
      .parse(manifestsIn('base/work.yaml').at(-1));
    const { spec } = base.spec.template;
    Object.assign(spec, pod);
    Object.assign(spec.containers[0], containers[0]);
    expect(manifestFaults(base)).toEqual([]);
  });

  it.each([
    ['replicas: 2', 'replicas: two', '/spec/replicas: type'],
    ['livenessProbe:', 'livenessCheck:', '/spec/template/spec/containers/0/livenessCheck: unknown'],
    ['fsGroup: 1000', 'fsGroups: 1000', '/spec/template/spec/securityContext/fsGroups: unknown'],
    ['kind: Deployment', 'kind: Deploiment', 'there is no schema for apps/v1 Deploiment'],
  ])('would not be with %s as %s', (good, bad, fault) => {
    const text = read('base/serve.yaml').replace(good, bad);
    const faults = parseAllDocuments(text).flatMap((one) => manifestFaults(one.toJS()));
    expect(faults).toContain(fault);
  });
});

describe.each([
  ['serve', 'webhooks'],
  ['work', 'metrics'],
])('the deployment of %s', (role, port) => {
  const { pod, container, selector, template } = deploymentIn(`base/${role}.yaml`);

  it('runs that command as the user of the image, who may change nothing of it', () => {
    expect(container.command).toEqual(['./issuewright', role]);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp']);
    expect(Object.keys(container.resources.limits)).toEqual(['memory', 'ephemeral-storage']);
  });

  it('is asked whether it lives and is ready on a port that it has', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    expect(startupProbe.httpGet).toEqual({ path: '/healthz', port });
    expect(livenessProbe.httpGet).toEqual({ path: '/healthz', port });
    expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port });
    expect(container.ports.map(({ name }) => name)).toContain(port);
  });

  it('is given the time that a start and a stop may take, and an answer of /readyz', () => {
    const { periodSeconds, failureThreshold = 0 } = container.startupProbe;
    expect(periodSeconds * failureThreshold).toBeGreaterThan(200);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(25);
    expect(container.readinessProbe.timeoutSeconds).toBeGreaterThan(2);
  });

  it('has settings that exist, and labels that its selector finds', () => {
    for (const { name } of container.env) expect(VARIABLES).toContain(name);
    expect(template.metadata.labels).toEqual(selector.matchLabels);
  });
});

describe('the overlay that allows commands', () => {
  it('changes the base by one patch', () => {
    const overlay: unknown = parse(read('commands/kustomization.yaml'));
    expect(overlay).toMatchObject({ resources: ['../base'], patches: [{ path: 'sandbox.yaml' }] });
  });

  it('loosens the container of the sessions as docs/security.md says, and no more', () => {
    const { metadata, spec } = z
      .object({
        metadata: z.unknown(),
        spec: z.strictObject({ template: z.strictObject({ spec: z.unknown() }) }),
      })
      .parse(parse(read('commands/sandbox.yaml')));
    expect(metadata).toEqual({ name: 'issuewright-work' });
    expect(spec.template.spec).toEqual({
      hostUsers: false,
      containers: [
        {
          name: 'issuewright',
          env: [{ name: 'ALLOW_DANGEROUS_TOOLS', value: 'true' }],
          securityContext: {
            seccompProfile: { type: 'Localhost', localhostProfile: 'issuewright.json' },
            appArmorProfile: { type: 'Unconfined' },
            procMount: 'Unmasked',
          },
        },
      ],
    });
    expect(read('README.md')).toContain('`/var/lib/kubelet/seccomp/issuewright.json`');
  });
});
