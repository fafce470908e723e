// Rotations while the API server refuses, loses and delays what it likes: each that is asked for is made once. What is known of
// the object may be old at any of these moments, and a write may have had its effect although nobody said so.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, describe, test } from 'vitest';
import { eventually } from '../../support/poll.ts';
import { randomOf } from '../../simulation/machine/random.ts';
import { report } from '../report.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { FaultProxy, type Fault } from './fault-proxy.ts';
import { Installed, installedCluster } from './installed.ts';
import { throughLedger, type Write } from './ledger.ts';
import { house, kubectl } from './objects.ts';

const seed = process.env['WATCH_SEED'] ?? String(Date.now());
const rotations = 6;
const role = 'LDAPStaticRole/shop/web';
const config = 'LDAPConfig/shop/directory';

describe.skipIf(assets === undefined)('skipped where there is no Kubernetes', () => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  beforeAll(async () => {
    cluster = await installedCluster({ controllers: false });
    proxy = await FaultProxy.to(cluster, { tls: true });
  });
  afterAll(async () => {
    report(`WATCH_SEED=${seed}: ${JSON.stringify([...(proxy?.faults ?? [])])}`);
    await proxy?.close();
    await cluster?.stop();
  });

  test('a rotation is made once for each time that it is asked for', { timeout: 300_000 }, async () => {
    const at = await Installed.on(cluster);
    const ledger: Write[] = [];
    const stateDir = await throughLedger(at.services, 'holdfast', ledger);
    const kubeconfig = join(stateDir, 'through-the-proxy');
    writeFileSync(kubeconfig, readFileSync(cluster.kubeconfig, 'utf8').replace(cluster.url, proxy.url));
    const process = at.run('--kubeconfig', kubeconfig, '--state-dir', stateDir);
    await process.says(/"msg":"leading"/, 60_000);
    for (const file of ['connection', 'credentials'])
      await kubectl(cluster, ['apply', '-f', join(house, `examples/quickstart/${file}.yaml`)]);
    // After an intent whose effect is not seen, so long and 10 s more pass before another is asked for.
    await at.patch(config, { spec: { requestTimeout: '1s' } });
    await at.ready(config, role);
    const rotated = () => ledger.filter(({ what }) => what.includes('/rotate-role/')).length;
    expect(rotated()).toBe(0);

    const random = randomOf(seed);
    const faults: readonly (() => Fault)[] = [
      () => ({ is: 'refused', status: random.pick([409, 429, 500, 503]), retryAfter: 1 }),
      () => ({ is: 'dropped' }),
      () => ({ is: 'lost' }),
      () => ({ is: 'delayed', ms: 300 }),
    ];
    proxy.fault = ({ path }) =>
      path.includes('/leases') || !random.chance(0.3) ? undefined : random.pick(faults)();
    for (let turn = 1; turn <= rotations; turn++) {
      await at.annotate(role, { 'holdfast.dev/rotate': `t${turn}` });
      let last: unknown;
      const isHandled = async () => {
        const status = (await at.get(role))?.status;
        last = status;
        return status?.handledRequests?.['rotate'] === `t${turn}`;
      };
      const seen = () => JSON.stringify(last);
      await eventually(`rotation ${turn}`, isHandled, { withinMs: 120_000, seen });
      await at.ready(role);
      expect(rotated()).toBe(turn);
    }
    proxy.fault = () => undefined;
    expect((await process.stop()).code).toBe(0);
    expect([...proxy.faults.keys()]).toEqual(expect.arrayContaining(['refused', 'lost', 'dropped']));
  });
});
