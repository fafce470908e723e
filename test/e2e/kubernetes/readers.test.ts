// Who may read metrics and the status page, asked of a real API server, with the right that deploy/kustomize gives for asking.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { clusterAccess } from '../../../src/runtime/kubernetes/access.ts';
import { eventually } from '../../support/poll.ts';
import { get, served, type Reply } from '../../web/serving.ts';
import { assets } from './assets.ts';
import { auditOf, useOf } from './audit.ts';
import { clientOf } from './client.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { base, kubectl, operator } from './objects.ts';

const minuteMs = 60_000;

describe.skipIf(assets === undefined)('readers (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  const run = (...args: readonly string[]) => kubectl(cluster, args);
  const token = async (account: string) => (await run('create', 'token', account)).trim();
  const reviews = () => auditOf(cluster).filter((event) => useOf(event)?.includes('reviews create')).length;

  beforeAll(async () => {
    cluster = await startCluster({ users: { [operator]: [], nobody: [] } });
    await run('apply', '-k', base);
    for (const account of ['prometheus', 'person', 'stranger', 'former'])
      await run('create', 'serviceaccount', account);
    const bound = (role: string, account: string) =>
      run(
        'create',
        'clusterrolebinding',
        account,
        `--clusterrole=holdfast-${role}-reader`,
        `--serviceaccount=default:${account}`,
      );
    await bound('metrics', 'prometheus');
    await bound('status', 'person');
    await bound('metrics', 'former');
  });
  afterAll(() => cluster?.stop());

  /** A port that all reach, of an operator that asks as `user`. */
  const port = async ({ user = operator, server = cluster.url } = {}) => {
    const client = clientOf(cluster, { user, server });
    onTestFinished(() => client.close());
    let nowMs = 0;
    const told: (string | undefined)[] = [];
    const authorize = clusterAccess(
      client,
      () => nowMs,
      (message) => told.push(message),
    );
    const { web } = await served({ host: '0.0.0.0', authorize });
    const url = web.url.replace('0.0.0.0', '127.0.0.1');
    const ask = (bearer: string, path = '/metrics'): Promise<Reply> =>
      get(url + path, { headers: { Authorization: `Bearer ${bearer}` } });
    return { ask, told, later: (ms: number) => void (nowMs += ms) };
  };

  test('each role opens its paths, and no other', async () => {
    const { ask } = await port();
    const tokens = { prometheus: await token('prometheus'), person: await token('person') };
    const rows = [
      ['prometheus', '/metrics', 200],
      ['prometheus', '/', 403],
      ['prometheus', '/objects/CSIVolume/shop/orders', 403],
      ['person', '/', 200],
      ['person', '/assets/live.js', 200],
      ['person', '/objects/CSIVolume/shop/orders', 404],
      ['person', '/metrics', 403],
    ] as const;
    for (const [who, path, status] of rows)
      expect([who, path, (await ask(tokens[who], path)).status]).toEqual([who, path, status]);
  });

  test('a token that is not known, not whole, or may not, opens nothing', async () => {
    const { ask } = await port();
    const good = await token('prometheus');
    for (const bad of [
      'x',
      good.slice(0, -4),
      good.split('.').slice(0, 2).join('.'),
      `${good}a`,
      Buffer.from('{"alg":"none"}').toString('base64url') + good.slice(good.indexOf('.')),
      await token('stranger'),
      cluster.tokenOf('nobody'),
    ])
      expect((await ask(bad)).status).toBe(403);
  });

  test('a verdict counts for a minute: then who lost the right has lost it here, and nobody is asked in between', async () => {
    const { ask, later } = await port();
    const former = await token('former');
    expect((await ask(former)).status).toBe(200);
    const before = reviews();
    await run('delete', 'clusterrolebinding', 'former');
    for (let turn = 0; turn < 20; turn++) expect((await ask(former)).status).toBe(200);
    expect(reviews()).toBe(before);
    const isOut = async () => {
      later(minuteMs);
      return (await ask(former)).status === 403;
    };
    await eventually('a minute later', isOut);
    expect(reviews()).toBeGreaterThan(before);
  });

  test('a flood of tokens reaches the API server a few at a time, and who was known stays in', async () => {
    const { ask } = await port();
    const good = await token('prometheus');
    expect((await ask(good)).status).toBe(200);
    const before = reviews();
    const answers = await Promise.all(Array.from({ length: 200 }, (_, turn) => ask(`flood-${turn}`)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].filter((status) => ![403, 503].includes(status))).toEqual([]);
    expect(reviews() - before).toBe(answers.filter(({ status }) => status === 403).length);
    expect((await ask(good)).status).toBe(200);
  });

  test('the same question at the same time is asked once', async () => {
    const { ask } = await port();
    const good = await token('prometheus');
    const before = reviews();
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(good)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(reviews() - before).toBe(2);
  });

  test('where it can not be asked nobody is let in, nothing is remembered, and that is told once', async () => {
    const good = await token('prometheus');
    for (const at of [{ user: 'nobody' }, { server: 'https://127.0.0.1:1' }]) {
      const { ask, told } = await port(at);
      for (let turn = 0; turn < 2; turn++) {
        const { status, headers, body } = await ask(good);
        expect([status, headers['retry-after'], body.includes('up 1')]).toEqual([503, '5', false]);
      }
      expect(told).toHaveLength(1);
      expect(told[0]).not.toContain(good);
    }
  });
});
