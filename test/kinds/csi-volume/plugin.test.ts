// What a scheduler says of its plugins, and what is made of it.
import { expect, test } from 'vitest';
import type { Reader } from '../../../src/api/routes.ts';
import { pluginOf, pluginWith } from '../../../src/kinds/csi-volume/plugin.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import { never } from '../../api/servers.ts';
import { declared, key } from './situation.ts';

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
  expect(csiVolume.open({ key, spec: declared, requests: {} }, {}).prerequisite?.name).toBe('plugin ebs');
});

test('one is found by its ID among others', async () => {
  expect(await pluginOf(having(['nfs', 'ceph']).read, 'ceph', never)).toEqual({ ID: 'ceph' });
  expect(await pluginOf(having(['nfs']).read, 'ceph', never)).toBeNull();
  expect(await pluginOf(having(undefined).read, 'ceph', never)).toBeNull();
});
