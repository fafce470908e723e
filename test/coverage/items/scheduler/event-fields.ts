// scheduler-api.md, "Stream event frame".
import { codeIn, replied, said, testsIn, type Section } from '../../item.ts';

const views = codeIn('embedded/scheduler/cluster/render-node.ts');
const frames = codeIn('embedded/scheduler/events/broker.ts');
const events = testsIn('contract/event-cases.ts');
const key = 'event.stream';
const node = 'events.*.Payload.Node';
const resources = `${node}.NodeResources`;
const inOrder =
  'without an index all that is still there is told, in order; each frame has the index of its change';

export const frame: Section = {
  title: 'Event frame',
  items: [
    said('frame: `Index` int', {
      client: codeIn('api/scheduler/events.ts')('frameIn'),
      embedded: frames('Frame'),
      test: events(inOrder),
    }),
    said('frame: `Events` list', {
      client: codeIn('api/scheduler/events.ts')('frameIn'),
      embedded: frames('Frame'),
      test: events(inOrder),
    }),
    ...replied(
      'StreamEvent',
      { at: [[key, 'events.*']], embedded: frames('Told') },
      {
        Topic: 'string',
        Type: 'string',
        Key: 'string',
        Namespace: 'string',
        FilterKeys: 'list',
        Index: 'int',
        Payload: 'object',
      },
    ),
  ],
};

export const nodePayload: Section = {
  title: 'Node payload',
  items: [
    ...replied(
      'NodeRead',
      { at: [[key, node]], embedded: views('nodeRead') },
      {
        ID: 'uuid',
        Datacenter: 'string',
        Name: 'string',
        HTTPAddr: 'string',
        TLSEnabled: 'bool',
        Attributes: 'object',
        NodeResources: 'object',
      },
    ),
    ...replied(
      'NodeResources.Cpu',
      { at: [[key, `${resources}.Cpu`]], embedded: views('resources'), below: 'NodeResources.Cpu.' },
      {
        CpuShares: 'int',
      },
    ),
    ...replied(
      'NodeResources.Memory',
      { at: [[key, `${resources}.Memory`]], embedded: views('resources'), below: 'NodeResources.Memory.' },
      {
        MemoryMB: 'int',
      },
    ),
    ...replied(
      'NodeResources.Disk',
      { at: [[key, `${resources}.Disk`]], embedded: views('resources'), below: 'NodeResources.Disk.' },
      {
        DiskMB: 'int',
      },
    ),
    ...replied(
      'NodeResources',
      { at: [[key, resources]], embedded: views('resources'), below: 'NodeResources.' },
      {
        Networks: 'list',
        NodeNetworks: 'list',
        Devices: 'any',
      },
    ),
    ...replied(
      'NodeNetwork',
      {
        at: [[key, `${resources}.Networks.*`]],
        embedded: views('network'),
        below: 'NodeResources.Networks.',
      },
      {
        Mode: 'string',
        Device: 'string',
        CIDR: 'string',
        IP: 'string',
        MBits: 'int',
        DNS: 'any',
        ReservedPorts: 'any',
        DynamicPorts: 'any',
      },
    ),
    ...replied(
      'HostNetwork',
      {
        at: [[key, `${resources}.NodeNetworks.*`]],
        embedded: views('resources'),
        below: 'NodeResources.NodeNetworks.',
      },
      {
        Mode: 'string',
        Device: 'string',
        MacAddress: 'string',
        Speed: 'int',
        Addresses: 'list',
      },
    ),
    ...replied(
      'NodeAddress',
      {
        at: [[key, `${resources}.NodeNetworks.*.Addresses.*`]],
        embedded: views('address'),
        below: 'NodeResources.NodeNetworks.Addresses.',
      },
      {
        Family: 'string',
        Alias: 'string',
        Address: 'string',
        ReservedPorts: 'string',
        Gateway: 'string',
      },
    ),
    ...replied(
      'NodeRead',
      { at: [[key, node]], embedded: views('nodeRead') },
      {
        ReservedResources: 'any',
        Resources: 'any',
        Reserved: 'any',
        Links: 'any',
        Meta: 'object',
        NodeClass: 'string',
        ComputedClass: 'string',
        Drain: 'bool',
        DrainStrategy: 'any',
        SchedulingEligibility: 'string',
        Status: 'string',
        StatusDescription: 'string',
        StatusUpdatedAt: 's',
        Events: 'list',
      },
    ),
    ...replied(
      'NodeEvent',
      { at: [[key, `${node}.Events.*`]], embedded: views('nodeRead'), below: 'Events.' },
      {
        Message: 'string',
        Subsystem: 'string',
        Details: 'any',
        Timestamp: 'time',
        CreateIndex: 'int',
      },
    ),
    ...replied('NodeRead', { at: [[key, node]], embedded: views('nodeRead') }, { Drivers: 'object' }),
    ...replied(
      'NodeDriver',
      { at: [[key, `${node}.Drivers.*`]], embedded: views('nodeRead'), below: 'Drivers.' },
      {
        Attributes: 'object',
        Detected: 'bool',
        Healthy: 'bool',
        HealthDescription: 'string',
        UpdateTime: 'time',
      },
    ),
    ...replied(
      'NodeRead',
      { at: [[key, node]], embedded: views('nodeRead') },
      {
        CSIControllerPlugins: 'any',
        CSINodePlugins: 'any',
        HostVolumes: 'any',
        CreateIndex: 'int',
        ModifyIndex: 'int',
      },
    ),
    said('`SchedulingEligibility` `eligible`', {
      client: { type: 'NodeRead', field: 'SchedulingEligibility' },
      embedded: views('nodeStub'),
      test: testsIn('embedded/scheduler/events/broker.test.ts')(
        'nodes and jobs have a type for each thing that happens to them',
      ),
    }),
    said('`Status` `initializing`', {
      client: { type: 'NodeRead', field: 'Status' },
      embedded: codeIn('embedded/scheduler/store/model.ts')('nodeStatuses'),
      test: testsIn('coverage/events.test.ts')('a node that begins says so'),
    }),
  ],
};
