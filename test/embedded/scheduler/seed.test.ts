import { describe, expect, test } from 'vitest';
import { parseSeed } from '../../../src/embedded/scheduler/seed.ts';
import { create, running } from './running.ts';

const wrong: readonly { seed: unknown; says: string; why: string }[] = [
  { seed: [], says: 'seed: expected a map of lists: namespaces, nodes, plugins', why: 'lists have names' },
  { seed: { node: [] }, says: 'seed.node: unknown; known: namespaces, nodes', why: 'those names' },
  { seed: { constructor: [] }, says: 'seed.constructor: unknown', why: 'and no others' },
  { seed: { nodes: {} }, says: 'seed.nodes: expected a list', why: 'lists are lists' },
  { seed: { nodes: ['n1'] }, says: 'seed.nodes[0]: expected an object, got a string', why: 'of objects' },
  { seed: { nodes: [{ nmae: 'n1' }] }, says: 'seed.nodes[0].Name: expected a string', why: 'with fields' },
  {
    seed: { plugins: [{ id: 'p', nodes: ['n9'] }] },
    says: 'seed.plugins[0].nodes: no node n9',
    why: 'that exist',
  },
  {
    seed: { volumes: [{ ID: 'v' }] },
    says: 'seed.volumes[0]: validation: missing plugin id',
    why: 'and are valid',
  },
];

describe('the seed', () => {
  test.each(['cluster', 'nomad'] as const)(
    'the default one is enough for every sort of volume, in %s',
    async (dialect) => {
      const { client, server, stop } = await running({ dialect });
      expect((await client.get('/v1/volumes?type=csi')).json()).toEqual([]);
      expect(server.counters()).toMatchObject({ writes: 0, effects: 0 });
      const external = { ExternalID: 'vol-0a1b2c3d4e5f6' };
      const volumes = [
        { id: 'host', more: { PluginID: 'hostpath' } },
        { id: 'ebs', more: { PluginID: 'ebs', SnapshotID: 'snap-0a1b2c3d4e5f6' } },
      ];
      for (const { id, more } of volumes) expect((await create(client, id, more)).status).toBe(200);
      const registered = [
        { id: 'legacy', PluginID: 'ebs', ...external },
        { id: 'share', PluginID: 'nfs', ExternalID: 'any' },
      ];
      for (const { id, ...more } of registered) {
        const capability = { AccessMode: 'multi-node-multi-writer', AttachmentMode: 'file-system' };
        const body = { Volumes: [{ ID: id, RequestedCapabilities: [capability], ...more }] };
        expect((await client.put(`/v1/volume/csi/${id}`, body)).status).toBe(200);
      }
      const list = (await client.get('/v1/volumes?type=csi')).json();
      expect(list.map((v: { Schedulable: boolean }) => v.Schedulable)).toEqual([true, true, true, true]);
      await stop();
    },
  );

  test('everything can be seeded', async () => {
    const capability = { AccessMode: 'single-node-writer', AttachmentMode: 'file-system' };
    const volume = { PluginID: 'p', RequestedCapabilities: [capability] };
    const { client, server, stop } = await running({
      seed: parseSeed({
        namespaces: [{ name: 'team' }],
        nodes: [{ name: 'n1', topology: { zone: 'x' } }],
        plugins: [{ id: 'p', capabilities: ['CREATE_DELETE_VOLUME'], nodes: ['n1'], controllers: ['n1'] }],
        jobs: [{ id: 'web', namespace: 'team' }],
        disks: [{ pluginID: 'p', externalID: 'd1' }],
        volumes: [
          { ID: 'v1', Name: 'v1', Namespace: 'team', ...volume },
          { ID: 'v2', ExternalID: 'd1', ...volume },
        ],
        allocations: [{ jobID: 'web', namespace: 'team', node: 'n1', volumes: [{ id: 'v1' }] }],
      }),
    });
    const v1 = await client.get('/v1/volume/csi/v1?namespace=team');
    expect(v1.json()).toMatchObject({ AccessMode: 'single-node-writer', Allocations: [{ JobID: 'web' }] });
    expect((await client.get('/v1/volume/csi/v2')).json()).toMatchObject({ ExternalID: 'd1' });
    expect(server.counters()).toMatchObject({ writes: 0, effects: 0 });
    expect((await client.get('/v1/jobs?namespace=*')).json()).toMatchObject([
      { ID: 'web', Namespace: 'team' },
    ]);
    await stop();
  });

  test.each(wrong)('"$says": $why', async ({ seed, says }) => {
    const starting = async () => running({ seed: parseSeed(seed) });
    await expect(starting()).rejects.toThrow(says);
  });
});
