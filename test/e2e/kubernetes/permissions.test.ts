// What the roles of deploy/kustomize grant, beside what Holdfast uses: by the API server's audit log, of a journey through all
// that it does, with exactly these roles.
import { request } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { folder } from '../../support/cli.ts';
import { drawn } from '../../support/kills.ts';
import { eventually } from '../../support/poll.ts';
import { grants, grantsOf } from '../../deploy/documents.ts';
import { report } from '../report.ts';
import { assets } from './assets.ts';
import { auditOf, roleOf, useOf, type AuditEvent } from './audit.ts';
import { startCluster, type Cluster } from './cluster.ts';
import {
  annotate,
  edit,
  install,
  leave,
  settled,
  start,
  stored,
  tenants,
  type Installation,
  type Installed,
} from './deployed.ts';
import { kubectl } from './objects.ts';
import {
  apply,
  at,
  connections,
  estate,
  ownOf,
  schedulerConnection,
  services,
  volume,
} from './two-tenants.ts';
import { declareWorkload } from './workloads.ts';

const restarting = 'holdfast-workloads';
const restartingAs = [`--clusterrole=${restarting}`, '--serviceaccount=holdfast-system:holdfast'];
const workloads = (['Deployment', 'StatefulSet', 'DaemonSet'] as const).map((kind) => ({
  kind,
  name: 'web',
}));

const revision = async (cluster: Cluster): Promise<string | undefined> =>
  stored.shape.metadata
    .partial()
    .safeParse(
      (await cluster.call<{ metadata?: unknown }>('GET', at.secret('shop', 'web-login'))).body.metadata,
    ).data?.annotations?.['holdfast.dev/revision'];

/** A request of Holdfast, in the audit log. */
const did = (cluster: Cluster, use: string, namespace?: string): boolean =>
  auditOf(cluster).some(
    (event) => useOf(event) === use && (namespace === undefined || event.objectRef?.namespace === namespace),
  );

const isAllowed = (cluster: Cluster, use: string, namespace: string): boolean =>
  auditOf(cluster).some(
    (event) =>
      useOf(event) === use && event.objectRef?.namespace === namespace && roleOf(event) !== undefined,
  );

async function metrics(cluster: Cluster, { url }: Installed): Promise<number> {
  const token = await kubectl(cluster, ['create', 'token', 'reader', '-n', 'default']);
  const headers = { authorization: `Bearer ${token.trim()}` };
  const { statusCode, body } = await request(`${url}/metrics`, { headers });
  await body.dump();
  return statusCode;
}

/** Edits it, and annotates it while that is taken in, until Holdfast was late and has asked for it. */
async function conflict(cluster: Cluster, path: string, spec: (turn: number) => object): Promise<void> {
  const [resource = ''] = path.split('/').slice(-2);
  const isRead = () => did(cluster, `holdfast.dev/${resource} get`);
  let turn = 0;
  const provoked = async () => {
    if (isRead()) return true;
    await edit(cluster, path, { spec: spec(++turn) });
    for (let note = 0; note < 20; note++) await annotate(cluster, path, { note: `${turn} ${note}` });
    return isRead();
  };
  await eventually(`a conflict on ${resource}`, provoked, { withinMs: 60_000 });
}

/** What the schedule takes at that hour of New Year. */
const runAt = (hour: number): string => `shop-leap-${new Date().getUTCFullYear()}01010${hour}00`;

async function journey(cluster: Cluster, installation: Installation): Promise<void> {
  const outside = await services();
  const leader = await start(cluster, installation, await folder());
  await leader.process.says(/"msg":"leading"/);
  const standby = await start(cluster, installation, await folder());
  await apply(cluster, [...connections(outside), ...tenants.flatMap(estate)]);
  // The same again and again, for the counts of their events.
  const failing = [at.volume('shop', 'denied'), at.connection('nowhere')];
  await apply(cluster, [
    volume('shop', 'denied', { connectionRef: { name: 'only-blog' } }),
    schedulerConnection('nowhere', { url: 'http://127.0.0.1:1', dialect: 'nomad' }, []),
  ]);
  for (const tenant of tenants) for (const path of ownOf(tenant)) await settled(cluster, path);

  // Metrics of a standby, too.
  await kubectl(cluster, ['create', 'serviceaccount', 'reader', '-n', 'default']);
  expect(await metrics(cluster, standby)).toBe(403);
  const reader = ['--clusterrole=holdfast-metrics-reader', '--serviceaccount=default:reader'];
  await kubectl(cluster, ['create', 'clusterrolebinding', 'reader', ...reader]);
  expect(await metrics(cluster, leader)).toBe(200);

  // Edit, rotate, drift. The right to restart workloads is given as docs/kubernetes.md says.
  await kubectl(cluster, ['create', 'rolebinding', restarting, '-n', 'shop', ...restartingAs]);
  for (const workload of workloads) await declareWorkload(cluster, 'shop', workload);
  const consumers = workloads.map((workload) => ({ workload }));
  await edit(cluster, at.role('shop'), { spec: { rotationPeriod: '12h', consumers } });
  await edit(cluster, at.volume('shop'), { spec: { mountOptions: { fsType: 'ext4' } } });
  await settled(cluster, at.role('shop'));
  const before = await revision(cluster);
  await annotate(cluster, at.role('shop'), { 'holdfast.dev/rotate': 'now' });
  await eventually('another password', async () => ![undefined, before].includes(await revision(cluster)));
  await eventually('all is restarted', () => did(cluster, 'apps/daemonsets patch', 'shop'));
  await cluster.call('DELETE', at.secret('shop', 'web-login'));
  await annotate(cluster, at.role('shop'), { 'holdfast.dev/reconcile': '1' });
  await eventually('it is published again', async () => (await revision(cluster)) !== undefined);
  await outside.scheduler.call('DELETE', '/v1/volume/csi/shop-orders?namespace=default&force=true');
  await annotate(cluster, at.volume('shop'), { 'holdfast.dev/reconcile': '1' });
  await eventually('it is registered again', async () => (await outside.scheduler.volumes()).length === 2);

  // Somebody else writes at the same time: then an object is read.
  const spec = {
    managed: (turn: number) => ({ drift: { interval: `${turn}h` } }),
    schedule: (turn: number) => ({ jitter: `${turn}s` }),
    connection: (turn: number) => ({ limits: { maxConcurrent: 1 + (turn % 8) } }),
  };
  await conflict(cluster, at.connection('only-shop'), spec.connection);
  await conflict(cluster, at.secretsConnection('shared'), spec.connection);
  for (const path of ownOf('shop'))
    await conflict(cluster, path, path === at.schedule('shop') ? spec.schedule : spec.managed);

  // A run of last New Year, and the next one, which takes the place of the first: its record is set back, so nobody waits.
  for (const hour of [3, 4]) {
    const path = at.schedule('shop');
    await edit(cluster, path, { spec: { schedule: `0 ${hour} 1 1 *`, retention: { count: 1 } } });
    await edit(cluster, `${path}/status`, { status: { own: { handled: '2020-01-01T00:00:00Z' } } });
    await settled(cluster, at.snapshot('shop', runAt(hour)));
  }
  await eventually('one expires', () => did(cluster, 'holdfast.dev/csisnapshots delete'));
  const drill = {
    every: '24h',
    verify: { selector: { job: 'shop-web' }, exec: { task: 'server', command: ['true'] } },
  };
  await edit(cluster, at.schedule('shop'), { spec: { drill } });
  for (const made of ['csivolumes', 'allocationactions'])
    await eventually(`the drill takes its ${made} away`, () => did(cluster, `holdfast.dev/${made} delete`));

  await cluster.restart();
  const asked = new Map<string, string>();
  const again = async () => {
    for (const path of failing) {
      const { status } = stored.parse((await cluster.call('GET', path)).body);
      if (status.handledRequests['reconcile'] !== asked.get(path)) continue;
      const token = String(performance.now());
      asked.set(path, token);
      await annotate(cluster, path, { 'holdfast.dev/reconcile': token });
    }
    return ['shop', 'default'].every((namespace) => did(cluster, 'events.k8s.io/events patch', namespace));
  };
  await eventually('events are counted', again, { withinMs: 100_000 });

  await leader.process.stop();
  await standby.process.says(/"msg":"leading"/, 30_000);
  const [scheduler, secrets] = [at.connection('shared'), at.secretsConnection('shared')];
  for (const tenant of tenants) {
    for (const path of ownOf(tenant))
      await leave(cluster, path, /csi(volumes|snapshot)/.test(path) ? scheduler : secrets);
  }
  await leave(cluster, at.snapshot('shop', runAt(4)), scheduler); // it outlives its schedule
  await leave(cluster, at.volume('shop', 'denied'), at.connection('only-blog'));
  const others = ['only-shop', 'only-blog', 'nowhere'].map(at.connection);
  for (const path of [scheduler, secrets, ...others]) await leave(cluster, path, path);
  expect(await outside.scheduler.disks()).toEqual([]);
  if (installation === 'namespaced') await losesItsNamespaces(cluster);
  await standby.process.stop();
}

/** Who may not look into a chosen namespace any more asks whether it is there. */
async function losesItsNamespaces(cluster: Cluster): Promise<void> {
  for (const namespace of tenants)
    await kubectl(cluster, ['delete', 'rolebinding', 'holdfast', '-n', namespace]);
  await cluster.restart(); // an API server ends each watch within ten minutes
  for (const namespace of tenants)
    await eventually(`${namespace} is asked for`, () => isAllowed(cluster, '/namespaces get', namespace), {
      withinMs: 60_000,
    });
}

/** `shop.yaml` is copied for `blog`. */
const roleIn = (event: AuditEvent) => roleOf(event)?.replace(/-namespace-blog$/, '-namespace-shop');
const inNamespace = (event: AuditEvent) => `${useOf(event)} in ${event.objectRef?.namespace}`;

/** Asked of the API server's authorizer by the admission policies, when the verb before it is used. */
const asked: Readonly<Record<string, string>> = { patch: 'force-status', update: 'force-status' };

const installations = [
  { installation: 'base', why: 'for the whole cluster' },
  { installation: 'namespaced', why: 'for chosen namespaces' },
] as const;

describe.skipIf(assets === undefined)('on a real Kubernetes (skipped where there is none)', () => {
  test.for(drawn(installations, 2, ({ why }) => why))(
    '$why, every permission is used, and none is missing',
    { timeout: 300_000 },
    async ({ installation }) => {
      // Before 1.34 lists were no watches; Holdfast tries that first.
      const cluster = await startCluster({ flags: ['--feature-gates=WatchList=false'] });
      onTestFinished(() => cluster.stop());
      await install(cluster, installation);
      await journey(cluster, installation);

      const events = auditOf(cluster);
      const used = new Set<string>();
      for (const event of events) {
        const use = useOf(event);
        const role = roleIn(event);
        if (use === undefined || role === undefined) continue;
        used.add(`${role}: ${use}`);
        const by = asked[event.verb];
        if (by !== undefined && use.startsWith('holdfast.dev/'))
          used.add(`${role}: ${use.replace(/ \w+$/, ` ${by}`)}`);
      }
      // An API server that has just started knows no roles yet.
      const allowed = new Set(events.filter(roleOf).map(inNamespace));
      const refused = events.filter(({ responseStatus }) => responseStatus?.code === 403).map(inNamespace);
      const denied = [...new Set(refused)].filter((use) => !allowed.has(use));
      const chosen = grants('ClusterRole', restarting).map((grant) => `ClusterRole ${restarting}: ${grant}`);
      const granted = [...grantsOf(installation), ...chosen];
      const unused = granted.filter((grant) => !used.has(grant)).toSorted();
      const others = new Set(['ClusterRole system:basic-user', 'ClusterRole system:discovery']);
      const ungranted = [...used].filter(
        (use) => !granted.includes(use) && !others.has(use.split(':').slice(0, 2).join(':')),
      );
      report(`${installation}: granted and not used: ${unused.join('; ') || 'none'}`);
      report(`${installation}: used and not granted: ${ungranted.join('; ') || 'none'}`);
      expect({ unused, ungranted, denied }).toEqual({ unused: [], ungranted: [], denied: [] });
    },
  );
});
