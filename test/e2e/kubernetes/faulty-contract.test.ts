// The Kubernetes source keeps its contract, too, while what stands between it and the API server does what it likes.
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { sourceContract } from '../../sources/contract.ts';
import { randomOf } from '../../simulation/machine/random.ts';
import { report } from '../report.ts';
import { assets } from './assets.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { FaultProxy, type Fault, type Seen } from './fault-proxy.ts';
import { benchOn, prepare, stopAll } from './source-bench.ts';

const seed = process.env['WATCH_SEED'] ?? String(Date.now());
const random = randomOf(seed);
const silenceMs = 1_500;

const refusals = [
  { status: 429, retryAfter: 1 },
  { status: 429, retryAfter: 0 },
  { status: 500 },
  { status: 503 },
] as const;

const ofWatches: readonly ((after: number) => Fault)[] = [
  () => ({ is: 'refused', ...random.pick(refusals) }),
  () => ({ is: 'refused', status: 410 }),
  () => ({ is: 'dropped' }),
  () => ({ is: 'delayed', ms: 200 }),
  () => ({ is: 'twice' }),
  () => ({ is: 'older' }),
  (after) => ({ is: 'silent', after }),
  (after) => ({ is: 'cut', after }),
  (after) => ({ is: 'corrupt', after }),
  (after) => ({ is: 'ended', after }),
  (after) => ({ is: 'error', after, code: random.pick([410, 429, 500, 504]) }),
];
const ofReads: readonly (() => Fault)[] = [
  () => ({ is: 'refused', ...random.pick(refusals) }),
  () => ({ is: 'dropped' }),
  () => ({ is: 'lost' }),
  () => ({ is: 'delayed', ms: 50 }),
  () => ({ is: 'corrupt', after: 0 }),
];
/** None after which nobody knows whether it was done: what the source then does is in probes.test.ts. */
const ofWrites: readonly (() => Fault)[] = [
  () => ({ is: 'refused', status: 429 }),
  () => ({ is: 'refused', status: 503 }),
  () => ({ is: 'delayed', ms: 50 }),
];

function drawn({ isWatch, method }: Seen): Fault | undefined {
  if (!random.chance(isWatch ? 0.5 : 0.25)) return undefined;
  if (isWatch) return random.pick(ofWatches)(random.below(4));
  return random.pick(method === 'GET' ? ofReads : ofWrites)();
}

describe.skipIf(assets === undefined)('without KUBEBUILDER_ASSETS and Go this is skipped', () => {
  let cluster: Cluster;
  let proxy: FaultProxy;

  beforeAll(async () => {
    cluster = await startCluster();
    proxy = await FaultProxy.to(cluster);
    proxy.fault = drawn;
    await prepare(cluster);
  });
  afterEach(stopAll);
  afterAll(async () => {
    const faults = [...proxy.faults].map(([is, count]) => `${is} ${count}`).join(', ');
    report(`faults of ${proxy.seen.length} requests (WATCH_SEED=${seed}): ${faults}`);
    await proxy.close();
    await cluster.stop();
  });

  sourceContract('Kubernetes, with faults', () =>
    benchOn(cluster, { server: proxy.url, silenceMs, begin: () => proxy.forget() }),
  );
});
