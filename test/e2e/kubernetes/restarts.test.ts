// Restarts of workloads on the real API server.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import type { Workload } from '../../../src/core/effect.ts';
import { restart, restartAnnotation, tryRestart } from '../../../src/sources/kubernetes/restarts.ts';
import type { Publisher } from '../../../src/sources/publisher.ts';
import { assets } from './assets.ts';
import { clientOf } from './client.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { kubectl } from './objects.ts';
import { declareWorkload, pathOfWorkload, type DeclaredWorkload } from './workloads.ts';

const kinds: readonly Workload['kind'][] = ['Deployment', 'StatefulSet', 'DaemonSet'];
const namespace = 'default';
const role = (uid: string): Publisher => ({ key: { kind: 'LDAPStaticRole', namespace, name: 'web' }, uid });
const first = role('7d3c0f4e-0000-4000-8000-000000000001');
const second = role('7d3c0f4e-0000-4000-8000-000000000002');
const annotationOf = ({ uid }: Publisher) => `${restartAnnotation}.${uid}`;

describe.skipIf(assets === undefined)('a restart (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  let client: KubernetesClient;
  beforeAll(async () => {
    cluster = await startCluster({ users: { ann: [], bob: [] } });
    for (const [user, verb] of [
      ['ann', 'get'],
      ['bob', 'patch'],
    ] as const) {
      await kubectl(cluster, ['create', 'role', user, `--verb=${verb}`, '--resource=deployments.apps']);
      await kubectl(cluster, ['create', 'rolebinding', user, `--role=${user}`, `--user=${user}`]);
    }
    client = clientOf(cluster);
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });

  const declare = async (workload: Workload) => {
    await declareWorkload(cluster, namespace, workload, { kept: 'a' });
    return workload;
  };
  const read = async (workload: Workload) =>
    (await cluster.call<DeclaredWorkload>('GET', pathOfWorkload(namespace, workload))).body;

  test.for(kinds)('of a %s changes the pod template once per token, and nothing else of it', async (kind) => {
    const workload = await declare({ kind, name: 'app' });
    const versions = [];
    for (const token of ['t1', 't1', 't2', 't2']) {
      await tryRestart(client, namespace, workload);
      await restart(client, first, workload, token);
      const { metadata, spec } = await read(workload);
      expect(spec.template.metadata.annotations).toEqual({ kept: 'a', [annotationOf(first)]: token });
      versions.push([metadata.generation, metadata.resourceVersion]);
    }
    expect(versions.map(([generation]) => generation)).toEqual([2, 2, 3, 3]);
    expect([versions[0], versions[2]]).toEqual([versions[1], versions[3]]); // not even touched
  });

  test('for one object is none for another that names the same workload: neither takes the mark of the other away', async () => {
    const workload = await declare({ kind: 'Deployment', name: 'shared' });
    for (const publisher of [first, second, first]) await restart(client, publisher, workload, 't1');
    expect(await read(workload)).toMatchObject({
      metadata: { generation: 3 },
      spec: { template: { metadata: { annotations: { [annotationOf(second)]: 't1' } } } },
    });
  });

  test('of what is not there is refused, tried or done', async () => {
    const workload = { kind: 'DaemonSet', name: 'none' } as const;
    const expected = {
      class: 'waiting',
      reason: 'NotificationFailed',
      message: 'DaemonSet default/none does not exist',
    };
    await expect(tryRestart(client, namespace, workload)).rejects.toMatchObject(expected);
    await expect(restart(client, first, workload, 't1')).rejects.toMatchObject(expected);
  });

  test.for([
    { user: 'ann', may: 'only read it', verb: 'patch' },
    { user: 'bob', may: 'only patch it', verb: 'get' },
  ])('is refused when it is tried, to who may $may', async ({ user, verb }) => {
    const workload = await declare({ kind: 'Deployment', name: `of-${user}` });
    const theirs = clientOf(cluster, { user });
    onTestFinished(() => theirs.close());
    await expect(tryRestart(theirs, namespace, workload)).rejects.toMatchObject({
      reason: 'PermissionDenied',
      message: expect.stringContaining(`cannot ${verb} resource "deployments"`),
    });
    expect(await read(workload)).toMatchObject({ metadata: { generation: 1 } });
  });

  /** The client of a process beside which somebody acts: after its look, before its write. */
  const beside = (act: () => Promise<unknown>, times: number): Pick<KubernetesClient, 'get' | 'patch'> => {
    let left = times;
    return {
      get: async (...of) => {
        const seen = await client.get(...of);
        if (left-- > 0) await act();
        return seen;
      },
      patch: (...of) => client.patch(...of),
    };
  };

  test('whose write comes late is refused, and what was written since is read first', async () => {
    const workload = await declare({ kind: 'Deployment', name: 'overtaken' });
    const seen: unknown[] = [];
    const late = {
      ...beside(() => restart(client, first, workload, 't2'), 1),
      patch: async (...of: Parameters<KubernetesClient['patch']>) => {
        const written = await client.patch(...of);
        seen.push(written.is);
        return written;
      },
    };
    await restart(late, first, workload, 't2');
    expect(seen).toEqual(['conflict']);
    expect(await read(workload)).toMatchObject({ metadata: { generation: 2 } });
  });

  test('goes on though somebody else writes, and says so where they write all the time', async () => {
    const workload = await declare({ kind: 'Deployment', name: 'busy' });
    let note = 0;
    const label = () =>
      cluster.call('PATCH', pathOfWorkload(namespace, workload), {
        body: { metadata: { labels: { note: String(note++) } } },
        contentType: 'application/merge-patch+json',
      });
    await restart(beside(label, 7), first, workload, 't1');
    expect(await read(workload)).toMatchObject({ metadata: { generation: 2 } });
    await expect(restart(beside(label, 8), first, workload, 't2')).rejects.toMatchObject({
      class: 'unavailable',
      message: 'Deployment default/busy is written by others all the time',
    });
  });
});
