// Actions on allocations, on a real cluster: done once, never edited, and not repeated by what backups and copies leave of them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseOwn } from '../../../src/kinds/allocation-action/own.ts';
import { action } from '../../support/manifests.ts';
import { assets } from './assets.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster } from './installed.ts';
import { kubectl } from './objects.ts';

const key = 'AllocationAction/shop/reload';
const intent = 'holdfast.dev/intent';
const reload = action('reload', { action: { signal: { name: 'SIGHUP', task: 'server' } } });
const allowed = { access: [{ namespaces: ['shop'], externalNames: ['shop'], actions: ['Signal'] }] };

interface Allocation {
  readonly ID: string;
  readonly TaskStates: {
    readonly server: { readonly Events: readonly { readonly Type: string }[] };
  };
}

describe.skipIf(assets === undefined)('actions (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  let at: Installed;
  beforeAll(async () => {
    cluster = await installedCluster();
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    at = await Installed.on(cluster);
    await at.connect(allowed);
  });

  /** How many signals each allocation of the job was sent, by the service's own word. */
  const signals = async (): Promise<readonly number[]> => {
    const { scheduler } = at.services;
    const all = await scheduler.call<readonly Allocation[]>('GET', '/v1/allocations');
    return all.map(
      ({ TaskStates }) => TaskStates.server.Events.filter(({ Type }) => Type === 'Signaling').length,
    );
  };
  const phases = async () =>
    parseOwn((await at.get(key))?.status.own)?.results.map(({ phase }) => phase) ?? [];

  test('one is carried out once, says what became of each, and only its suspension is ever edited', async () => {
    await at.start();
    await at.apply(reload);
    await at.ready(key);
    expect([await signals(), await phases()]).toEqual([
      [1, 1],
      ['Succeeded', 'Succeeded'],
    ]);
    const edit = at.patch(key, { spec: { action: { signal: { name: 'SIGTERM' } } } });
    await expect(edit).rejects.toThrow('never changes');
    await at.patch(key, { spec: { suspend: true } });
    await at.ready(key);
    await at.patch(key, { spec: { suspend: false } });
    await at.ready(key);
    expect(await signals()).toEqual([1, 1]);
    await at.delete(key);
    await at.gone(key);
  });

  test('a status that a backup stripped repeats nothing', async () => {
    await at.start();
    await at.apply(reload);
    await at.ready(key);
    const { apiVersion, kind, metadata, spec } = Object((await at.get(key)) ?? {});
    const { name, namespace } = metadata;
    const stripped = JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec, status: {} });
    await kubectl(cluster, ['replace', '--subresource=status', '-f', '-'], stripped);
    const { message } = await at.reason(key, 'ActionFailed', 'Failed');
    expect(message).toContain('its status was lost');
    expect([await signals(), await phases()]).toEqual([
      [1, 1],
      ['Unknown', 'Unknown'],
    ]);
  });

  test('what bears the record of another is not carried out until a person takes that away', async () => {
    await at.start();
    await at.apply(reload);
    await at.ready(key);
    const { annotations = {} } = (await at.get(key))?.metadata ?? {};
    const copy = 'AllocationAction/shop/copy';
    const metadata = {
      namespace: 'shop',
      name: 'copy',
      annotations: { [intent]: annotations[intent] ?? '' },
    };
    await at.apply({ ...reload, metadata });
    await at.reason(copy, 'ActionNotRepeated');
    expect(await signals()).toEqual([1, 1]);
    await at.annotate(copy, { [intent]: null });
    await at.ready(copy);
    expect(await signals()).toEqual([2, 2]);
  });

  test('who is not allowed is told so, and once he is, it begins', async () => {
    await at.connect({ access: [{ namespaces: ['shop'], actions: ['Exec', 'Restart', 'Stop'] }] });
    await at.start();
    await at.apply(reload);
    await at.reason(key, 'AccessDenied', 'Stalled');
    expect(await signals()).toEqual([0, 0]);
    await at.connect(allowed);
    await at.ready(key);
    expect(await signals()).toEqual([1, 1]);
  });
});
