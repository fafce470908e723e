// The simulated API server answers as the real one does: both are asked the same, and say the same.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/poll.ts';
import { assets } from './assets.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { definitionOf } from './disks.ts';
import { drawnScript } from './simulated/drawn.ts';
import { otherScripts } from './simulated/others.ts';
import { played, Real, Simulated } from './simulated/sides.ts';
import { writeScripts } from './simulated/writes.ts';

const seed = process.env['SIMULATED_SEED'] ?? String(Date.now());
const drawn = Array.from({ length: Number(process.env['SIMULATED_SCRIPTS'] ?? 5) }, (_, turn) =>
  drawnScript(`${seed}/${turn}`),
);
const scripts = [...writeScripts, ...otherScripts, ...drawn];
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const definition = definitionOf({ spec: anything, status: anything });

describe.skipIf(assets === undefined)('without KUBEBUILDER_ASSETS and Go this is skipped', () => {
  let cluster: Cluster;
  let real: Real;
  const simulated = new Simulated();

  beforeAll(async () => {
    cluster = await startCluster({ controllers: true });
    real = new Real(cluster);
    await cluster.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: definition,
    });
    await eventually('disks are served', async () => {
      return (await cluster.call('GET', '/apis/holdfast.dev/v1alpha1/disks')).status === 200;
    });
  });
  afterAll(async () => {
    simulated.server.breakWatches();
    await real.stop();
    await cluster.stop();
  });

  test.for(scripts)('$title', async (script) => {
    const namespace = `script-${scripts.indexOf(script)}`;
    const said = await played(simulated, script, namespace);
    expect(said).toEqual(await played(real, script, namespace));
  });
});
