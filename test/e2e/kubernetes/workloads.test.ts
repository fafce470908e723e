// A rotation restarts workloads, on a real cluster: once each, whatever is missing, refused or killed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { holdfast } from '../../support/cli.ts';
import { eventually } from '../../support/poll.ts';
import { report } from '../report.ts';
import { assets } from './assets.ts';
import { auditOf } from './audit.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster, withinMs } from './installed.ts';
import { house, kubectl, operator } from './objects.ts';
import { declareWorkload, pathOfWorkload, type DeclaredWorkload } from './workloads.ts';

const role = 'LDAPStaticRole/shop/web';
const web = { kind: 'Deployment', name: 'web' } as const;
const agent = { kind: 'DaemonSet', name: 'agent' } as const;
const job = { connectionRef: { name: 'local' }, id: 'shop', action: 'Signal' };

interface Allocation {
  readonly TaskStates: {
    readonly server: { readonly Events: readonly { readonly Type: string }[] };
  };
}

describe.skipIf(assets === undefined)('workloads (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  let at: Installed;
  let allocation: string;
  const run = (...args: readonly string[]) => kubectl(cluster, ['-n', 'shop', ...args]);
  const allow = () =>
    run('create', 'rolebinding', 'restarts', '--clusterrole=holdfast-workloads', `--user=${operator}`);

  beforeAll(async () => {
    cluster = await installedCluster();
    await allow();
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    at = await Installed.on(cluster);
    await cluster.call('DELETE', '/apis/apps/v1/namespaces/shop/deployments');
    await cluster.call('DELETE', '/apis/apps/v1/namespaces/shop/daemonsets');
    const body = { jobID: 'shop', tasks: [{ name: 'server' }] };
    const { ID } = await at.services.scheduler.call<{ ID: string }>('POST', '/setup/allocations', body);
    allocation = ID;
    for (const file of ['connection', 'credentials'])
      await kubectl(cluster, ['apply', '-f', join(house, `examples/quickstart/${file}.yaml`)]);
    await at.patch(role, { spec: { consumers: [{ workload: web }, { workload: agent }, { job }] } });
    await declareWorkload(cluster, 'shop', web);
  });

  const generation = async (workload: typeof web | typeof agent): Promise<number> =>
    (await cluster.call<DeclaredWorkload>('GET', pathOfWorkload('shop', workload))).body.metadata.generation;
  /** Writes of Holdfast that were stored, trials apart. */
  const restarts = (name: string): number =>
    auditOf(cluster).filter(
      ({ verb, requestURI, objectRef, responseStatus }) =>
        objectRef?.name === name &&
        objectRef.apiGroup === 'apps' &&
        verb === 'patch' &&
        responseStatus?.code === 200 &&
        !requestURI.includes('dryRun'),
    ).length;
  const signals = async (): Promise<number> => {
    const { TaskStates } = await at.services.scheduler.call<Allocation>(
      'GET',
      `/v1/allocation/${allocation}`,
    );
    return TaskStates.server.Events.filter(({ Type }) => Type === 'Signaling').length;
  };
  /** Asks for a rotation, and waits until it was made. */
  const rotate = async (token: string): Promise<void> => {
    await at.annotate(role, { 'holdfast.dev/rotate': token });
    const isMade = async () => (await at.get(role))?.status.handledRequests?.['rotate'] === token;
    await eventually(`rotation ${token}`, isMade, { withinMs });
  };
  const told = (times: number) =>
    eventually(`the job is told ${times} times`, async () => (await signals()) === times, { withinMs });
  const reconcile = () => at.annotate(role, { 'holdfast.dev/reconcile': String(performance.now()) });

  test('are restarted once per rotation; one that is missing is named, holds up nobody, and is restarted once it is there', async () => {
    await at.start();
    await at.ready(role);
    expect([await generation(web), await signals()]).toEqual([1, 0]); // nobody used a password before
    const before = restarts('web');
    for (const [turn, token] of ['t1', 't2'].entries()) {
      await rotate(token);
      await told(turn + 1);
      const { message } = await at.reason(role, 'NotificationFailed', 'ConsumersNotified');
      expect(message).toBe('/consumers/1: DaemonSet shop/agent does not exist');
      await at.ready(role);
      expect([await generation(web), restarts('web') - before]).toEqual([2 + turn, 1 + turn]);
    }
    await declareWorkload(cluster, 'shop', agent);
    await reconcile();
    await at.reason(role, 'Notified', 'ConsumersNotified');
    expect([await generation(agent), await generation(web), await signals()]).toEqual([2, 3, 2]);
  });

  test('that may not be restarted are named with what refuses it, the others are told, and they are once it is allowed', async () => {
    await run('delete', 'rolebinding', 'restarts');
    await at.start();
    await at.ready(role);
    await rotate('t1');
    await told(1);
    const { message } = await at.reason(role, 'NotificationFailed', 'ConsumersNotified');
    expect(message).toMatch(
      /^\/consumers\/0: .*cannot get resource "deployments".*; \/consumers\/1: .*"daemonsets"/,
    );
    await at.ready(role);
    // What is left to do is planned by whoever reads, without being tried.
    const { stateDir } = at.services;
    const as = ['--kubeconfig', cluster.kubeconfig, '--context', operator, '--state-dir', stateDir];
    const planned = await holdfast(['plan', ...as], { cwd: stateDir });
    expect(planned.stdout).toContain('restart Deployment web');
    await allow();
    await declareWorkload(cluster, 'shop', agent);
    await reconcile();
    await at.reason(role, 'Notified', 'ConsumersNotified');
    expect([await generation(web), await generation(agent), await signals()]).toEqual([2, 2, 1]);
  });

  test('are restarted once though the process is killed right before, and right after', async () => {
    await at.patch(role, { spec: { consumers: [{ workload: web }, { job }] } });
    const log = join(at.services.stateDir, 'effects');
    const ends = async () => {
      await cluster.call('DELETE', '/apis/coordination.k8s.io/v1/namespaces/holdfast-system/leases');
      at.env = {};
    };
    at.env = { HOLDFAST_FAULT: `log:${log}` };
    const first = await at.start();
    await at.ready(role);
    await first.stop();
    await ends();

    // Which of its effects is the restart, in a process that begins with a rotation.
    const from = readFileSync(log, 'utf8').split('\n').length;
    at.env = { HOLDFAST_FAULT: `log:${log}` };
    await at.annotate(role, { 'holdfast.dev/rotate': 't1' });
    const second = await at.start();
    await at.reason(role, 'Notified', 'ConsumersNotified');
    await told(1);
    await second.stop();
    const effects = readFileSync(log, 'utf8')
      .split('\n')
      .slice(from - 1);
    const nth = effects.findIndex((line) => line.includes('deployments.patch')) + 1;
    report(
      `effects of a rotation: ${effects
        .filter(Boolean)
        .map((line) => JSON.parse(line).op)
        .join(', ')}`,
    );
    expect(await generation(web)).toBe(2);

    for (const [turn, when] of (['before', 'after'] as const).entries()) {
      await ends();
      const before = restarts('web');
      at.env = { HOLDFAST_FAULT: `kill:${when}:${nth}` };
      await at.annotate(role, { 'holdfast.dev/rotate': `killed ${when}` });
      expect((await at.run().ended).code).toBe('SIGKILL');
      expect(await generation(web)).toBe(when === 'before' ? 2 + turn : 3 + turn);
      await ends();
      const next = await at.start();
      await told(2 + turn);
      await at.reason(role, 'Notified', 'ConsumersNotified');
      await next.stop();
      expect([await generation(web), restarts('web') - before]).toEqual([3 + turn, 1]);
    }
  });
});
