// Reads of plugins (services.md#plugins). A change of health moves the index of these reads, but not of volumes.
import { absent, json, type Endpoint, type Reply } from '../../http/server.ts';
import { read } from '../http/blocking.ts';
import { get, served } from '../http/endpoints.ts';
import { controllerFlags, type NodeRow, type PluginRow } from '../store/model.ts';
import type { State } from '../state.ts';
import { healthOf } from '../volumes/render.ts';

export const pluginReads = (state: State): readonly Endpoint[] => [
  served('plugin.list', (request) => {
    if (request.query.get('type') !== 'csi') return json([]);
    const prefix = request.query.get('prefix') ?? '';
    const reply = (): Reply => {
      const plugins = Array.from(state.plugins.from('')).filter((one) => one.ID.startsWith(prefix));
      return json(plugins.map(stub));
    };
    return read(state, request, { table: state.plugins, reply });
  }),
  get('/v1/plugin/csi/{id}', 'plugin:read', (request) => {
    const reply = (): Reply => {
      const plugin = state.plugins.get(request.params['id'] ?? '');
      return plugin ? json(pluginRead(state, plugin)) : absent('plugin not found');
    };
    return read(state, request, { table: state.plugins, reply });
  }),
];

const stub = (plugin: PluginRow) => ({
  ID: plugin.ID,
  Provider: plugin.Provider,
  ...healthOf(plugin),
  CreateIndex: plugin.CreateIndex,
  ModifyIndex: plugin.ModifyIndex,
});

export function pluginRead(state: State, plugin: PluginRow) {
  const can = Object.entries(controllerFlags).map(([capability, flag]): [string, boolean] => [
    flag,
    plugin.Capabilities.some((one) => one === capability),
  ]);
  const ControllerInfo = Object.fromEntries(can);
  return {
    ...stub(plugin),
    Version: plugin.Version,
    Controllers: instances(plugin, plugin.Controllers, plugin.ControllersHealthy, () => ({ ControllerInfo })),
    Nodes: instances(plugin, plugin.Nodes, plugin.NodesHealthy, (id) =>
      nodeInfo(plugin, id, state.nodes.get(id)),
    ),
    Allocations: [],
  };
}

/** Instances by node ID. The first `healthy` ones are healthy. */
const instances = (
  plugin: PluginRow,
  nodeIDs: readonly string[],
  healthy: number,
  more: (nodeID: string) => object,
) =>
  Object.fromEntries(
    nodeIDs.map((id, i) => {
      const { ID: PluginID, Provider, Version: ProviderVersion, RequiresTopologies } = plugin;
      const RequiresControllerPlugin = plugin.Controllers.length > 0;
      const health = { Healthy: i < healthy, HealthDescription: i < healthy ? 'healthy' : 'unhealthy' };
      const common = { PluginID, Provider, ProviderVersion, RequiresControllerPlugin, RequiresTopologies };
      return [id, { ...common, ...health, ...more(id) }];
    }),
  );

const nodeInfo = (plugin: PluginRow, id: string, node: NodeRow | undefined) => ({
  NodeInfo: {
    ID: id,
    MaxVolumes: 0,
    AccessibleTopology: plugin.RequiresTopologies && node ? { Segments: node.Topology } : null,
    RequiresNodeStageVolume: true,
    SupportsStats: true,
    SupportsExpand: plugin.Capabilities.includes('EXPAND_VOLUME'),
    SupportsCondition: plugin.Capabilities.includes('VOLUME_CONDITION'),
  },
});
