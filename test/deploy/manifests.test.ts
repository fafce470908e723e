// What parts of the manifests have to agree on, which nobody says before the pods are missing. The real API server judges
// the rest (test/e2e/kubernetes).
import { globSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import about from '../../package.json' with { type: 'json' };
import { documents, house, read, the } from './documents.ts';

const kustomization = z.looseObject({ resources: z.array(z.string()) });
const resourcesOf = (path: string) => kustomization.parse(parse(read(path))).resources;

test('every definition is installed', () => {
  const wanted = globSync('crds/*.yaml', { cwd: house }).map((path) => path.replace('crds/', ''));
  expect(resourcesOf('crds/Kustomization').toSorted()).toEqual(wanted.toSorted());
});

test.for(['base', 'admission', 'namespaced'])('every file of %s is applied', (folder) => {
  const path = `deploy/kustomize/${folder}`;
  const here = resourcesOf(`${path}/kustomization.yaml`).filter((one) => !one.startsWith('../'));
  const found = readdirSync(resolve(house, path)).filter((name) => name !== 'kustomization.yaml');
  expect(here.toSorted()).toEqual(found.toSorted());
});

const selector = z.looseObject({ matchLabels: z.record(z.string(), z.string()) });
const probe = z.looseObject({ httpGet: z.looseObject({ path: z.string(), port: z.string() }) });
const deployment = the(
  'Deployment',
  'holdfast',
  z.looseObject({
    spec: z.looseObject({
      selector,
      template: z.looseObject({
        spec: z.looseObject({
          serviceAccountName: z.string(),
          topologySpreadConstraints: z.array(z.looseObject({ labelSelector: selector })),
          containers: z.array(
            z.looseObject({
              image: z.string(),
              args: z.array(z.string()),
              ports: z.array(z.looseObject({ name: z.string(), containerPort: z.number() })),
              readinessProbe: probe,
              livenessProbe: probe,
            }),
          ),
        }),
      }),
    }),
  }),
).spec;
const [container] = deployment.template.spec.containers;
const labels = z
  .looseObject({ labels: z.array(z.looseObject({ pairs: z.record(z.string(), z.string()) })) })
  .parse(parse(read('deploy/kustomize/base/kustomization.yaml'))).labels[0]?.pairs;

test('everything that selects pods selects these, by the label that they are given', () => {
  const spec = z.looseObject({ selector: z.unknown().optional(), podSelector: z.unknown().optional() });
  const specOf = (kind: string) => the(kind, 'holdfast', z.looseObject({ spec })).spec;
  const selecting = [
    deployment.selector,
    deployment.template.spec.topologySpreadConstraints[0]?.labelSelector,
    specOf('PodDisruptionBudget').selector,
    specOf('NetworkPolicy').podSelector,
    { matchLabels: specOf('Service').selector },
  ];
  expect(selecting).toEqual(selecting.map(() => ({ matchLabels: labels })));
});

test('one port has one name: in the arguments, the Service, the NetworkPolicy and the probes', () => {
  const ports = z.array(z.looseObject({ port: z.union([z.number(), z.string()]) }));
  const ingress = z.array(z.looseObject({ ports }));
  const [port] = container?.ports ?? [];
  expect(container?.args).toContain(`--listen=[::]:${port?.containerPort}`);
  expect(container?.readinessProbe.httpGet).toMatchObject({ path: '/readyz', port: port?.name });
  expect(container?.livenessProbe.httpGet).toMatchObject({ path: '/healthz', port: port?.name });
  const service = the('Service', 'holdfast', z.looseObject({ spec: z.looseObject({ ports }) }));
  expect(service.spec.ports).toEqual([
    { name: port?.name, port: port?.containerPort, targetPort: port?.name },
  ]);
  const policy = the('NetworkPolicy', 'holdfast', z.looseObject({ spec: z.looseObject({ ingress }) }));
  expect(policy.spec.ingress.flatMap((one) => one.ports.map((each) => each.port))).toEqual([port?.name]);
});

test('the image is this release', () => {
  expect(container?.image).toBe(`holdfast:${about.version}`);
});

test('every binding is of the one account, and of a role that there is', () => {
  const binding = z.looseObject({
    roleRef: z.looseObject({ kind: z.string(), name: z.string() }),
    subjects: z.array(z.looseObject({})),
  });
  const account = { kind: 'ServiceAccount', name: 'holdfast', namespace: 'holdfast-system' };
  const bindings = [...documents('base'), ...documents('namespaced')].filter(({ kind }) =>
    kind.endsWith('Binding'),
  );
  expect(bindings).toHaveLength(7);
  for (const one of bindings) {
    const { roleRef, subjects } = binding.parse(one);
    expect(subjects).toEqual([account]);
    the(roleRef.kind, roleRef.name, z.looseObject({}));
  }
  expect(deployment.template.spec.serviceAccountName).toBe(account.name);
});

test('what is applied to every installation names its namespace, so a context does not decide it', () => {
  const global = /^(Namespace|ClusterRole|ClusterRoleBinding|ValidatingAdmissionPolicy|Kustomization)/;
  const lost = [...documents('base'), ...documents('admission'), ...documents('namespaced')].filter(
    ({ kind, metadata }) => !global.test(kind) && metadata.namespace === undefined,
  );
  expect(lost).toEqual([]);
});
