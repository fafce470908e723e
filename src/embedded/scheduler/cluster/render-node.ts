// Nodes as the API and the event stream show them (services.md#nodes). Their resources and attributes are made up.
import type { NodeRow, PluginRow } from '../store/model.ts';
import type { State } from '../state.ts';

export const nodeStub = (node: NodeRow) => ({
  ID: node.ID,
  Name: node.Name,
  Datacenter: node.Datacenter,
  Address: node.HTTPAddr.replace(/:\d+$/, ''),
  NodeClass: '',
  Drain: node.Drain,
  SchedulingEligibility: node.SchedulingEligibility,
  Status: node.Status,
  StatusDescription: '',
  CreateIndex: node.CreateIndex,
  ModifyIndex: node.ModifyIndex,
});

const network = { Mode: 'host', Device: 'lo', CIDR: '127.0.0.1/32', IP: '127.0.0.1', MBits: 1000 };
const address = { Family: 'ipv4', Alias: 'default', Address: '127.0.0.1', ReservedPorts: '', Gateway: '' };
const resources = {
  Cpu: { CpuShares: 4000 },
  Memory: { MemoryMB: 8192 },
  Disk: { DiskMB: 65_536 },
  Networks: [{ ...network, DNS: null, ReservedPorts: null, DynamicPorts: null }],
  NodeNetworks: [{ Mode: 'host', Device: 'lo', MacAddress: '', Speed: 1000, Addresses: [address] }],
  Devices: null,
};

export function nodeRead(state: State, node: NodeRow) {
  const at = new Date((node.StatusUpdatedAt || 0) * 1_000).toISOString(); // missing in state files of earlier versions
  const driver = {
    Attributes: {},
    Detected: true,
    Healthy: true,
    HealthDescription: 'Healthy',
    UpdateTime: at,
  };
  const plugins = Array.from(state.plugins.rows());
  return {
    ...nodeStub(node),
    HTTPAddr: node.HTTPAddr,
    TLSEnabled: false,
    Attributes: { 'kernel.name': 'linux', 'unique.hostname': node.Name },
    NodeResources: resources,
    ReservedResources: { Cpu: { CpuShares: 0 }, Memory: { MemoryMB: 0 }, Disk: { DiskMB: 0 } },
    Resources: null,
    Reserved: null,
    Links: null,
    Meta: node.Topology,
    ComputedClass: '',
    DrainStrategy: node.Drain ? { Deadline: 0, IgnoreSystemJobs: false } : null,
    StatusUpdatedAt: node.StatusUpdatedAt,
    Events: [
      { Message: 'Node registered', Subsystem: 'Cluster', Details: null, Timestamp: at, CreateIndex: 0 },
    ],
    Drivers: { exec: driver, docker: driver },
    CSIControllerPlugins: infos(node, plugins, 'Controllers', (Info) => ({ ControllerInfo: Info })),
    CSINodePlugins: infos(node, plugins, 'Nodes', (Info) => ({ NodeInfo: Info })),
    HostVolumes: null,
  };
}

/** The plugins with an instance on the node. The first instances of a plugin are its healthy ones. */
function infos(
  node: NodeRow,
  plugins: readonly PluginRow[],
  which: 'Controllers' | 'Nodes',
  more: (info: object) => object,
) {
  const running = plugins.filter((plugin) => plugin[which].includes(node.ID));
  const info = { ID: node.ID, AccessibleTopology: { Segments: node.Topology } };
  return Object.fromEntries(
    running.map(({ ID, Provider, Version, ...plugin }) => {
      const Healthy = plugin[which].indexOf(node.ID) < plugin[`${which}Healthy`];
      return [ID, { PluginID: ID, Provider, ProviderVersion: Version, Healthy, ...more(info) }];
    }),
  );
}
