// The definitions in a real API server: taken without a warning, of one mind with the directory's parser, shown as people
// read them.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { registry } from '../../../src/kinds/registry.ts';
import { documentsIn } from '../../../src/sources/directory/yaml/documents.ts';
import type { Case, Document } from '../../schema/corpus/case.ts';
import { corpus, expected } from '../../schema/corpus/corpus.ts';
import { role, scheduler, volume } from '../../schema/corpus/documents.ts';
import { alike, misread } from '../../sources/directory/yaml/scalars.ts';
import { folder, holdfast } from '../../support/cli.ts';
import { installation, Tree } from '../../support/manifests.ts';
import { assets } from './assets.ts';
import { startCluster, type Cluster } from './cluster.ts';

const crds = fileURLToPath(new URL('../../../crds', import.meta.url));
const quickstart = fileURLToPath(new URL('../../../examples/quickstart', import.meta.url));

describe.skipIf(assets === undefined)('in an API server (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    const applied = await cluster.kubectl(['apply', '--server-side', '-f', crds]);
    expect(applied).toMatchObject({ code: 0, stderr: '' }); // warnings would be there
    const wait = ['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all'];
    expect(await cluster.kubectl(wait)).toMatchObject({ code: 0 });
    expect(await cluster.kubectl(['create', 'namespace', 'shop'])).toMatchObject({ code: 0 });
  });
  afterAll(() => cluster.stop());

  test('no definition has a complaint: structure, names, and what was not taken of it', async () => {
    const { stdout } = await cluster.kubectl(['get', 'crd', '-o', 'json']);
    const { items }: { readonly items: readonly Definition[] } = JSON.parse(stdout);
    expect(items).toHaveLength(registry.length);
    for (const { status } of items) {
      expect(status.conditions.map(({ type, status: holds }) => `${type} ${holds}`).toSorted()).toEqual([
        'Established True',
        'NamesAccepted True',
      ]);
    }
  });

  for (const row of corpus) {
    const says = expected(row, 'server') ? 'valid' : 'invalid';
    test(`${row.title}: ${says}`, async () => {
      const complaint = await judged(cluster, row);
      expect(complaint === '' ? 'valid' : 'invalid', complaint).toBe(says);
    });
  }

  test('kubectl reads scalars as the directory says: what it reads otherwise is refused there', async () => {
    const keys = [...misread, ...alike].map((scalar, i) => [`k${i}`, scalar] as const);
    const text = keys.map(([key, scalar]) => `  ${key}: ${scalar}\n`).join('');
    const head = 'apiVersion: holdfast.dev/v1alpha1\nkind: CSIVolume\nmetadata: {name: a}\n';
    const args = ['create', '--dry-run=client', '--validate=false', '-o', 'json', '-f', '-'];
    const { stdout, stderr } = await cluster.kubectl(args, { input: `${head}spec:\n${text}` });
    expect(stderr).toBe('');
    const { spec }: { readonly spec: Document } = JSON.parse(stdout);
    const ours = new Map(keys.map(([key, scalar]) => [key, [...documentsIn(`v: ${scalar}\n`)][0]]));
    for (const [key, scalar] of keys) {
      const read = ours.get(key);
      if (misread.includes(scalar)) expect(read?.fault, scalar).toBeDefined();
      else expect(JSON.stringify({ v: spec[key] }), scalar).toBe(JSON.stringify(read?.value));
    }
  });

  test('is shown with the columns that people look for, and found by what it refers to', async () => {
    for (const document of [scheduler, volume, role]) {
      const applied = await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(document) });
      expect(applied).toMatchObject({ code: 0, stderr: '' });
    }
    const status = {
      externalRef: { backend: 'b', id: 'disk-1' },
      conditions: [],
      drift: { summary: '2 fields', detectedAt: '2026-11-22T10:00:00Z', fields: [] },
    };
    const path = '/apis/holdfast.dev/v1alpha1/namespaces/shop/csivolumes/a/status';
    const contentType = 'application/merge-patch+json';
    expect(await cluster.call('PATCH', path, { body: { status }, contentType })).toMatchObject({
      status: 200,
    });
    const table = async (...args: readonly string[]) =>
      (await cluster.kubectl(['get', '-n', 'shop', ...args])).stdout
        .trim()
        .split('\n')
        .map((line) => line.trim());
    const [head, ...rows] = await table('csivol');
    expect(head?.split(/ +/)).toEqual([
      'NAME',
      'READY',
      'SYNCED',
      'DRIFT',
      'EXTERNAL-NAME',
      'PLUGIN',
      'EXTERNAL-ID',
      'AGE',
    ]);
    expect(rows).toEqual([expect.stringMatching(/^a +2 fields +disk-1 +ebs /)]);
    expect((await table('csivol', '-o', 'wide'))[0]).toMatch(/ EXTERNAL-ID +CONNECTION +REASON +AGE$/);
    const found = async (selector: string) =>
      (await table('holdfast', '-o', 'name', '--field-selector', selector)).join(' ');
    expect(await table('csivol', '-o', 'name', '--field-selector', 'spec.pluginID=ebs')).toEqual([
      'csivolume.holdfast.dev/a',
    ]);
    expect(await table('csivol', '-o', 'name', '--field-selector', 'spec.connectionRef.name=other')).toEqual([
      '',
    ]);
    expect(
      await table('ldaprole', '-o', 'name', '--field-selector', 'spec.configRef.name=directory'),
    ).toEqual(['ldapstaticrole.holdfast.dev/a']);
    expect(await found('metadata.name=a')).toBe(
      'csivolume.holdfast.dev/a ldapstaticrole.holdfast.dev/a schedulerconnection.holdfast.dev/a',
    );
  });

  test('a new object has an observed generation of -1, which no tool takes for done', async () => {
    const path = '/apis/holdfast.dev/v1alpha1/namespaces/shop/csivolumes';
    const document = { ...volume, metadata: { name: 'new' } };
    expect((await cluster.call('POST', path, { body: document })).status).toBe(201);
    const { body } = await cluster.call('GET', `${path}/new`);
    expect(body).toMatchObject({ metadata: { generation: 1 }, status: { observedGeneration: -1 } });
  });
});

describe.skipIf(assets === undefined)(
  'a directory and a cluster (skipped without KUBEBUILDER_ASSETS and Go)',
  () => {
    test('take the same manifests, but for holdfast.yaml; and what the cluster prints is valid in a directory', async () => {
      const cluster = await startCluster();
      onTestFinished(() => cluster.stop());
      expect(await cluster.kubectl(['apply', '-f', crds])).toMatchObject({ code: 0, stderr: '' });
      expect(await cluster.kubectl(['create', 'namespace', 'shop'])).toMatchObject({ code: 0 });
      const { code, stdout, stderr } = await cluster.kubectl(['apply', '-R', '-f', quickstart]);
      expect(stdout.trim().split('\n')).toHaveLength(9);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^error: .*holdfast\.yaml": no matches for kind "Installation"/),
      });

      const tree = new Tree(await folder());
      const printed = await cluster.kubectl(['get', 'holdfast,secrets', '-A', '-o', 'yaml']);
      tree.put('holdfast.yaml', installation());
      tree.put('printed.yaml', printed.stdout);
      expect(await holdfast(['validate', tree.path], { cwd: tree.path })).toMatchObject({
        code: 0,
        stderr: '',
      });
    });

    test('kustomize leaves out a holdfast.yaml that says that it is local', async () => {
      const cwd = await folder();
      const annotations = { 'config.kubernetes.io/local-config': 'true' };
      const files = {
        'kustomization.yaml': { resources: ['holdfast.yaml', 'volume.yaml'] },
        'holdfast.yaml': { ...installation(), metadata: { name: 'lab', annotations } },
        'volume.yaml': volume,
      };
      for (const [name, content] of Object.entries(files))
        writeFileSync(join(cwd, name), JSON.stringify(content));
      const built = execFileSync(join(assets ?? '', 'kubectl'), ['kustomize', cwd], { encoding: 'utf8' });
      expect(built).toMatch(/^kind: CSIVolume$/m);
      expect(built).not.toContain('Installation');
    });
  },
);

interface Definition {
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}

interface Made {
  readonly metadata: { readonly resourceVersion: string };
}

/** @returns why the API server refuses it, or an empty text */
async function judged(cluster: Cluster, { document, old }: Case): Promise<string> {
  const kind = registry.find(({ declaration }) => declaration.kind === document['kind']);
  if (kind === undefined || document['apiVersion'] !== 'holdfast.dev/v1alpha1') return 'no such kind';
  const { plural, scope } = kind.declaration;
  const namespace =
    /"namespace":"([-a-z0-9]+)"/.exec(JSON.stringify(document['metadata'] ?? ''))?.[1] ?? 'default';
  const place = scope === 'Cluster' ? plural : `namespaces/${namespace}/${plural}`;
  const path = `/apis/holdfast.dev/v1alpha1/${place}`;
  const strict = '?dryRun=All&fieldValidation=Strict';
  if (old === undefined)
    return complaintOf(await cluster.call('POST', `${path}${strict}`, { body: document }));
  const made = await cluster.call<Made>('POST', path, { body: old });
  expect(complaintOf(made)).toBe('');
  try {
    const { resourceVersion } = made.body.metadata;
    const body = { ...document, metadata: { ...Object(document['metadata']), resourceVersion } };
    return complaintOf(await cluster.call('PUT', `${path}/a${strict}`, { body }));
  } finally {
    await cluster.call('DELETE', `${path}/a`);
  }
}

const complaintOf = ({ status, body }: { readonly status: number; readonly body: unknown }): string =>
  status < 300 ? '' : `${status} ${JSON.stringify(body)}`;
