// The manifests of deploy/kustomize on a real API server: accepted without a warning, and gone again.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { eventually } from '../../support/poll.ts';
import { assets } from './assets.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { applyQuickstart, held, house, kubectl, operator, patch, paths } from './objects.ts';

let cluster: Cluster;
/** As docs/kubernetes.md has it: a kustomization beside the repository. */
const site = mkdtempSync(join(tmpdir(), 'holdfast-site-'));

const run = (...args: readonly string[]): Promise<string> => kubectl(cluster, args);
/** @returns yes or no */
const can = async (user: string, question: string): Promise<string> =>
  (await cluster.kubectl(['auth', 'can-i', `--as=${user}`, ...question.split(' ')])).stdout.trim();
const blocks = [
  ...readFileSync(join(house, 'docs/kubernetes.md'), 'utf8').matchAll(/^```\w+\n(.*?)^```$/gms),
].map(([, text = '']) => text);
const shown = (part: string): string => blocks.find((text) => text.includes(part)) ?? '';

const pod = (spec: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' }, spec });

describe.skipIf(assets === undefined)('on a real Kubernetes (skipped where there is none)', () => {
  beforeAll(async () => {
    cluster = await startCluster({ controllers: true });
    await run('create', 'namespace', 'shop');
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(site, { recursive: true, force: true });
  });

  test('for chosen namespaces: applied without a warning, and nothing is granted in another namespace', async () => {
    await run('apply', '-k', join(house, 'deploy/kustomize/namespaced'));
    const answers = {
      'list csivolumes.holdfast.dev -n shop': 'yes',
      'get secrets -n shop': 'yes',
      'list csivolumes.holdfast.dev -n default': 'no',
      'list csivolumes.holdfast.dev -A': 'no',
      'get secrets -n default': 'no',
      'get secrets -n holdfast-system': 'yes', // of connections
      'list secrets -n holdfast-system': 'no',
      'create events.events.k8s.io -n default': 'yes', // about connections
      'watch schedulerconnections.holdfast.dev': 'yes',
      'get namespaces/shop': 'yes', // whether it is there
      'get namespaces/default': 'no',
      'list namespaces': 'no',
    };
    for (const [question, answer] of Object.entries(answers)) {
      expect([question, await can(operator, question)]).toEqual([question, answer]);
    }
    const args = await run('get', '-n', 'holdfast-system', 'deployment/holdfast', '-o', 'jsonpath={..args}');
    expect(args).toContain('"--namespace=shop"');
    await run('delete', '-f', join(house, 'deploy/kustomize/namespaced/shop.yaml'));
  });

  test('for the whole cluster, as documented: applied without a warning, and then there is no difference', async () => {
    symlinkSync(house, join(site, 'holdfast'));
    writeFileSync(join(site, 'kustomization.yaml'), shown('newName:'));
    await run('apply', '-k', site);
    await run('diff', '-k', site);
    const image = 'jsonpath={..containers[0].image}';
    expect(await run('get', '-n', 'holdfast-system', 'deployment/holdfast', '-o', image)).toBe(
      'registry.example.com/holdfast:0.1.0',
    );
    expect(await can(operator, 'list secrets -A')).toBe('yes');
    expect(await can(operator, 'delete ldapconfigs.holdfast.dev -A')).toBe('no');
    expect(await can(operator, 'update leases/other -n holdfast-system')).toBe('no');
    expect(await can(operator, 'update leases/holdfast -n holdfast-system')).toBe('yes');
  });

  test('its namespace lets these pods in, and no others', async () => {
    const pods = '/api/v1/namespaces/holdfast-system/pods?dryRun=All';
    const template = z
      .looseObject({ spec: z.looseObject({ template: z.looseObject({ spec: z.looseObject({}) }) }) })
      .parse(JSON.parse(await run('get', '-n', 'holdfast-system', 'deployment/holdfast', '-o', 'json')))
      .spec.template;
    expect(await cluster.call('POST', pods, { body: pod(template.spec) })).toMatchObject({
      status: 201,
      warnings: [],
    });
    const careless = await cluster.call('POST', pods, {
      body: pod({ ...template.spec, securityContext: {} }),
    });
    expect(careless).toMatchObject({ status: 403, body: { message: expect.stringContaining('restricted') } });
  });

  test("Kubernetes' own roles hold ours, each no more than it should", async () => {
    for (const name of ['view', 'edit', 'admin']) {
      await run('create', 'rolebinding', name, `--clusterrole=${name}`, `--user=${name}`, '--namespace=shop');
    }
    const shop = '--namespace=shop';
    const rows: Readonly<Record<string, readonly string[]>> = {
      'list csivolumes.holdfast.dev': ['yes', 'yes', 'yes'],
      'create csivolumes.holdfast.dev': ['no', 'yes', 'yes'],
      'rotate-root ldapconfigs.holdfast.dev': ['no', 'no', 'yes'],
      'update csivolumes.holdfast.dev --subresource=status': ['no', 'no', 'no'],
      'force-status csivolumes.holdfast.dev': ['no', 'no', 'no'],
      'update schedulerconnections.holdfast.dev': ['no', 'no', 'no'],
    };
    const added = async () => (await can('admin', `rotate-root ldapconfigs.holdfast.dev ${shop}`)) === 'yes';
    await eventually('a controller adds them', added);
    for (const [question, answers] of Object.entries(rows)) {
      const asked = `${question} ${shop}`;
      const given = [await can('view', asked), await can('edit', asked), await can('admin', asked)];
      expect([question, ...given]).toEqual([question, ...answers]);
    }
  });

  test('uninstalled as documented, everything goes, what is held too', async () => {
    await applyQuickstart(cluster);
    for (const path of Object.values(paths)) expect(await patch(cluster, 'admin', path, held)).toBe('done');
    const script = [shown('delete deployment holdfast'), shown('custom-columns')].join('');
    const env = {
      PATH: `${assets}:${process.env['PATH'] ?? ''}`,
      KUBECONFIG: cluster.kubeconfig,
      HOME: site,
    };
    await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd: site, env });
    expect(await run('get', 'crd,clusterrole,validatingadmissionpolicy', '-o', 'name')).not.toContain(
      'holdfast',
    );
  });
});
