// Two tenants of one Holdfast, one of whom is hostile: with the roles of deploy/kustomize, and no others. What the API server
// would refuse is tried with definitions that let everything in, too: such objects are left by older ones.
import { expect, onTestFinished, describe, test } from 'vitest';
import * as z from 'zod';
import { registry } from '../../../src/kinds/registry.ts';
import { group } from '../../../src/schema/declaration.ts';
import { secrets } from '../../../src/api/kubernetes/resources.ts';
import { folder } from '../../support/cli.ts';
import { drawn } from '../../support/kills.ts';
import { eventually } from '../../support/poll.ts';
import { report } from '../report.ts';
import { assets } from './assets.ts';
import { auditOf, type AuditEvent } from './audit.ts';
import { clientOf } from './client.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { hostile, names, type Hostile } from './hostile.ts';
import { install, settled, start, stored, type Installation } from './deployed.ts';
import { kubectl } from './objects.ts';
import { apply, at, connections, estate, ownOf, secret, services, type Services } from './two-tenants.ts';

const mallory = 'mallory';
const canary = 'canary-private-of-blog-9e07';
const pathOf = ({ plural, namespaced }: Hostile): string =>
  `/apis/${group}/v1alpha1/${namespaced ? 'namespaces/shop/' : ''}${plural}`;
const references = registry.flatMap(({ declaration: { kind, references: rules } }) =>
  rules.map(({ field }) => `${kind} ${field}`),
);
const nameOf = (index: number): string => `hostile-${index}`;

/** May do everything in her namespace that a tenant can be granted. */
async function admit(cluster: Cluster): Promise<void> {
  const to = [`--user=${mallory}`, '--namespace=shop'];
  for (const role of ['holdfast-view', 'holdfast-edit', 'holdfast-admin', 'edit'])
    await kubectl(cluster, ['create', 'rolebinding', role, `--clusterrole=${role}`, ...to]);
}

/** From now on, any spec is let in. */
async function loosen(cluster: Cluster): Promise<void> {
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const lax = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  for (const plural of new Set(hostile.map((one) => one.plural))) {
    const path = `${crds}/${plural}.${group}`;
    const properties = { spec: lax, status: lax };
    const value = { openAPIV3Schema: { type: 'object', properties } };
    const body = JSON.stringify([
      { op: 'replace', path: '/spec/versions/0/schema', value },
      { op: 'add', path: '/spec/versions/0/selectableFields', value: [] },
    ]);
    const contentType = 'application/json-patch+json';
    const reply = await cluster.call('PATCH', path, { body, contentType });
    if (reply.status !== 200) throw new Error(`${plural}: ${JSON.stringify(reply.body)}`);
  }
}

/** @returns the indexes of those that were not let in */
async function create(
  cluster: Cluster,
  indexes: readonly number[],
  refused: (status: number) => boolean,
): Promise<readonly number[]> {
  const left: number[] = [];
  for (const index of indexes) {
    const one = hostile[index];
    if (!one) continue;
    const { kind, spec, annotations = {}, namespaced } = one;
    const body = {
      apiVersion: `${group}/v1alpha1`,
      kind,
      metadata: { name: nameOf(index), annotations },
      spec,
    };
    // Connections are the administrator's.
    const user = namespaced ? mallory : 'admin';
    const { status, body: said } = await cluster.call('POST', pathOf(one), { user, body });
    if (refused(status)) left.push(index);
    else if (status !== 201) throw new Error(`${one.what}: ${status} ${JSON.stringify(said)}`);
  }
  return left;
}

/** Whoever was let in has been looked at. */
async function judged(cluster: Cluster, indexes: readonly number[]): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const index of indexes) {
    const one = hostile[index];
    if (!one) continue;
    const path = `${pathOf(one)}/${nameOf(index)}`;
    let seen: unknown;
    const look = async () => {
      seen = (await cluster.call('GET', path)).body;
      const found = stored.safeParse(seen).data;
      return found?.status.conditions.some(({ type }) => type === 'Ready') === true;
    };
    const options = { withinMs: 60_000, seen: () => JSON.stringify(seen) };
    await eventually(`${one.what} is looked at`, look, options);
    texts.push(JSON.stringify(seen));
  }
  return texts;
}

const isSecret = ({ objectRef }: AuditEvent): boolean =>
  objectRef?.resource === 'secrets' && objectRef.apiGroup === '';
/** Lists and watches are of metadata, and of those with a label. */
const touches = (events: readonly AuditEvent[], namespace: string): readonly string[] =>
  events
    .filter((event) => isSecret(event) && !['list', 'watch'].includes(event.verb))
    .filter(({ objectRef }) => objectRef?.namespace === namespace)
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.name}`);

async function outside({ scheduler, secrets: service }: Services) {
  const volumes = (await scheduler.volumes()).map(({ ID }) => ID);
  const { writes } = await service.counters();
  return { volumes, writes };
}

describe.skipIf(assets === undefined)('on a real Kubernetes (skipped where there is none)', () => {
  test.for(drawn(['base', 'namespaced'] as const, 2, (one) => `tenants ${one}`))(
    'a hostile tenant reaches nothing of another (%s)',
    { timeout: 400_000 },
    async (installation: Installation) => {
      const cluster = await startCluster({ users: { [mallory]: [] } });
      onTestFinished(() => cluster.stop());
      await install(cluster, installation);
      await admit(cluster);
      const all = await services();
      const login = { 'web-login': 'theirs' };
      await apply(cluster, [
        ...connections(all),
        ...estate('shop'),
        secret('blog', 'own', { key: canary }),
        secret('blog', 'private', { key: canary }),
        secret('blog', 'other-login', login, { 'holdfast.dev/watch': 'Enabled' }),
        secret('shop', 'taken', login),
      ]);
      const { process } = await start(cluster, installation, await folder());
      for (const path of ownOf('shop')) await settled(cluster, path);
      const before = await outside(all);

      const every = hostile.map((_, index) => index);
      const left = await create(cluster, every, (status) => [400, 422].includes(status));
      const admitted = every.filter((index) => !left.includes(index));
      const tried = admitted.map((index) => `${hostile[index]?.kind} ${hostile[index]?.field}`);
      expect(references.filter((one) => !tried.includes(one))).toEqual([]); // nothing else is wrong with them
      await judged(cluster, admitted);
      await loosen(cluster);
      let still = left;
      await eventually('definitions let everything in', async () => {
        still = await create(cluster, still, (status) => status === 422 || status === 400);
        return still.length === 0;
      });
      const texts = await judged(cluster, every);

      const events = auditOf(cluster);
      const reads = touches(events, 'blog');
      report(
        `${installation}: ${every.length} objects, ${left.length} of them let in by lax definitions only; ` +
          `Secrets of another namespace touched: ${reads.length}`,
      );
      expect(reads).toEqual([]);
      expect(touches(events, 'shop')).toContain('get private'); // they were followed, and stayed at home
      const logged = await kubectl(cluster, ['get', 'events,secrets', '-n', 'shop', '-o', 'json']);
      for (const text of [...texts, logged, process.stdout, process.stderr]) {
        expect(text).not.toContain(canary);
        expect(text).not.toContain(Buffer.from(canary).toString('base64'));
      }
      // Nothing was done outside for any of them but what is shop's.
      const after = await outside(all);
      expect(after.volumes.filter((id) => !id.startsWith('shop-'))).toEqual([]);
      expect(after.writes - before.writes).toBe(0);
      const foreign = z.looseObject({ data: z.record(z.string(), z.string()) });
      const { data } = foreign.parse((await cluster.call('GET', at.secret('blog', 'other-login'))).body);
      expect(data).toEqual({ 'web-login': Buffer.from('theirs').toString('base64') });

      // The other tenant comes late, and gets what is its own.
      await apply(cluster, estate('blog'));
      for (const path of ownOf('blog')) {
        const { status } = await settled(cluster, path);
        expect(JSON.stringify(status)).not.toMatch(/shop|hostile/);
      }
      for (const text of await judged(cluster, every))
        expect(text.replaceAll('"holdfast.dev/moved-from":"blog/', '')).not.toMatch(
          /(CSI\w+|LDAP\w+|OIDC\w+|KMS\w+)\/blog/,
        );
      await process.stop();
    },
  );

  test('no name leads out of its namespace, whoever asks for it', async () => {
    const cluster = await startCluster();
    onTestFinished(() => cluster.stop());
    const client = clientOf(cluster);
    onTestFinished(() => client.close());
    for (const name of names) await client.get(secrets, { namespace: 'shop', name }).catch(() => undefined);
    const asked = auditOf(cluster, 'admin').filter(isSecret);
    expect(asked.filter(({ verb, objectRef }) => verb === 'get' && objectRef?.namespace !== 'shop')).toEqual(
      [],
    );
    expect(asked.filter(({ verb }) => verb === 'list')).toEqual([]);
  });
});
