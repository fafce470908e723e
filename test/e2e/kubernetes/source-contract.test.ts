// The Kubernetes source keeps what the engine relies on, as the directory does, on a real API server.
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { sourceContract } from '../../sources/contract.ts';
import { assets } from './assets.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { benchOn, prepare, stopAll } from './source-bench.ts';

describe.skipIf(assets === undefined)('without KUBEBUILDER_ASSETS and Go this is skipped', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster();
    await prepare(cluster);
  });
  afterEach(stopAll);
  afterAll(() => cluster.stop());

  sourceContract('Kubernetes', () => benchOn(cluster));
});
