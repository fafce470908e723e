// Crashes of all kinds that are declared in a cluster: the same journeys on a real API server.
import { afterAll, describe } from 'vitest';
import { assets } from '../e2e/kubernetes/assets.ts';
import { testCrashes } from './crash-tests.ts';
import { stopClusters } from './world/cluster-side.ts';

describe.skipIf(assets === undefined)('in Kubernetes', () => {
  afterAll(stopClusters, 60_000);
  testCrashes(() => true, 'kubernetes');
});
