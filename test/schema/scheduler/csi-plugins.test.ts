// What a scheduler says of its plugins, and what is made of it.
import { expect, test } from 'vitest';
import type { Reader } from '../../../src/api/routes.ts';
import type { Resolution, Resolved } from '../../../src/core/resource.ts';
import { csiSnapshot } from '../../../src/kinds/csi-snapshot/kind.ts';
import type { Spec as SnapshotSpec } from '../../../src/kinds/csi-snapshot/schema.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import { pluginOf, pluginWith } from '../../../src/schema/scheduler/csi-plugins.ts';
import { client, never, serve } from '../../api/servers.ts';
import * as snapshot from '../../kinds/csi-snapshot/situation.ts';
import { declared, key } from '../../kinds/csi-volume/situation.ts';

const having = (ids: readonly string[] | undefined) => {
  const asked: unknown[] = [];
  const read: Reader = {
    read: (op, params) => {
      asked.push([op, params]);
      // oxlint-disable-next-line no-unsafe-type-assertion -- stubs of which only the ID counts
      return Promise.resolve(ids?.map((ID) => ({ ID })) as never);
    },
    page: () => Promise.reject(new Error('nobody pages')),
  };
  return { read, asked };
};
const volumeIs = (resolution: Resolution): Resolved => new Map([['/volumeRef', resolution]]);
const why = (message: string) => ({ reason: 'PluginNotFound', message });

test.for([
  { ids: ['nfs', 'ceph'], missing: undefined },
  { ids: ['nfs', 'ebs'], missing: why('the scheduler has no CSI plugin ceph, but ebs, nfs') },
  { ids: [], missing: why('the scheduler has no CSI plugin ceph') },
  { ids: undefined, missing: why('the scheduler has no CSI plugin ceph') },
  {
    ids: Array.from({ length: 12 }, (_, i) => `p${i + 10}`),
    missing: why(
      'the scheduler has no CSI plugin ceph, but p10, p11, p12, p13, p14, p15, p16, p17, p18, p19',
    ),
  },
])(
  'that it lacks one is told with those that it has, and not all of many: $ids',
  async ({ ids, missing }) => {
    const { read, asked } = having(ids);
    const needed = pluginWith('ceph');
    expect(needed.name).toBe('plugin ceph');
    expect(await needed.missing(read, never)).toEqual(missing);
    expect(asked).toEqual([['plugin.list', {}]]);
  },
);

test('a volume needs the one that it declares', () => {
  const opened = csiVolume.open({ key, spec: declared, requests: {} }, {});
  expect(opened.prerequisite(new Map())).toMatchObject({
    name: 'plugin ebs',
    external: { type: 'scheduler/plugin', id: 'ebs' },
  });
});

test.for<{ what: string; spec: SnapshotSpec; resolved: Resolved; needed: string | undefined }>([
  { what: 'its volume’s', spec: snapshot.declared, resolved: volumeIs(snapshot.ready()), needed: 'ebs' },
  { what: 'the one that it names', spec: snapshot.ofVolume, resolved: new Map(), needed: 'ebs' },
  {
    what: 'none before its volume is there',
    spec: snapshot.declared,
    resolved: new Map(),
    needed: undefined,
  },
  { what: 'none to take what exists', spec: snapshot.named, resolved: new Map(), needed: undefined },
])('a snapshot needs $what', ({ spec, resolved, needed }) => {
  const opened = csiSnapshot.open({ key: snapshot.key, spec, requests: {} }, {});
  expect(opened.prerequisite(resolved)?.name).toBe(needed && `plugin ${needed}`);
});

test('one is found by its ID among others', async () => {
  expect(await pluginOf(having(['nfs', 'ceph']).read, 'ceph', never)).toEqual({ ID: 'ceph' });
  expect(await pluginOf(having(['nfs']).read, 'ceph', never)).toBeNull();
  expect(await pluginOf(having(undefined).read, 'ceph', never)).toBeNull();
});

test('a scheduler that has no such list, as the documents show none, tells nothing of any', async () => {
  const { url } = await serve((_, response) => response.writeHead(404).end());
  expect(await pluginOf(client([url]), 'ceph', never)).toBeUndefined();
  const { url: denying } = await serve((_, response) => response.writeHead(403).end('Permission denied'));
  await expect(pluginOf(client([denying]), 'ceph', never)).rejects.toThrow('Permission denied');
});
