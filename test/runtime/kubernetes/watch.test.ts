// `get --watch` on a cluster says when it hears of no changes any more: it showed what had been, as if nothing changed.
import { expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { get } from '../../../src/cli/commands/get.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { clusterPlace } from '../../../src/runtime/kubernetes/cluster.ts';
import { serve } from '../../api/servers.ts';
import { inside } from '../../support/inside.ts';
import { sent } from '../../sources/kubernetes/objects.ts';

const initial = { 'k8s.io/initial-events-end': 'true' };
const end = { metadata: { resourceVersion: '9', annotations: initial } };
const lines = (...events: readonly object[]) => events.map((one) => `${JSON.stringify(one)}\n`).join('');

const listed = { ...sent({ version: 8, name: 'orders' }), kind: 'CSIVolume' };
const late = { ...sent({ version: 9, name: 'late', uid: 'u2' }), kind: 'CSIVolume' };
const heard = lines(...[listed, late].map((object) => ({ type: 'ADDED', object })), {
  type: 'BOOKMARK',
  object: end,
});

/** What the command says of these kinds. @param isRefused whether the nth watch of a collection is refused */
async function watched(kinds: readonly string[], isRefused: (plural: string, nth: number) => boolean) {
  const until = new AbortController();
  const watches = new Map<string, number>();
  const count = (plural: string): number => {
    const nth = (watches.get(plural) ?? 0) + 1;
    watches.set(plural, nth);
    return nth;
  };
  const { url } = await serve((request, response) => {
    const plural = /v1alpha1\/(\w+)/.exec(request.url)?.[1] ?? '';
    const isVolumes = plural === 'csivolumes';
    if (!request.url.includes('watch=true'))
      response.end(JSON.stringify({ metadata: { resourceVersion: '8' }, items: isVolumes ? [listed] : [] }));
    else if (isRefused(plural, count(plural))) response.writeHead(403).end();
    else {
      response.writeHead(200);
      response.write(isVolumes ? heard : lines({ type: 'BOOKMARK', object: end }));
      if (isVolumes) setTimeout(() => until.abort(), 3_000);
    }
  });
  const client = new KubernetesClient(
    { server: url, namespace: 'default', headers: async () => ({}) },
    new EffectGate(systemClock),
    systemClock.nowMs,
  );
  onTestFinished(() => client.close());
  const place = clusterPlace(client, undefined, until.signal);
  return inside((terminal) =>
    get({ kinds, keys: [] }, { output: 'name', watch: true }, place, terminal, until.signal),
  );
}

const both = 'CSIVolume/shop/orders\nCSIVolume/shop/late\n';
const refused = (kind: string, plural: string): string =>
  `${kind} can't be watched, so its changes are not shown: ${plural}.watch: 403\n`;

test('a kind that may be listed and not watched is told of, once, and once more when it can be watched', async () => {
  expect(await watched(['CSIVolume'], (_, nth) => nth <= 3)).toMatchObject({
    stdout: both,
    stderr: `${refused('CSIVolume', 'csivolumes')}CSIVolume can be watched again\n`,
  });
});

test('a kind that can never be watched does not hide what changes of another', async () => {
  const kinds = ['CSIVolume', 'CSISnapshot'];
  expect(await watched(kinds, (plural) => plural === 'csisnapshots')).toMatchObject({
    stdout: both,
    stderr: refused('CSISnapshot', 'csisnapshots'),
  });
});
