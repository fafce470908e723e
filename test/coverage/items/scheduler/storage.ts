// scheduler-api.md, "CSI volume", "External volume entry", "Snapshot".
import { codeIn, replied, said, testsIn, type Section } from '../../item.ts';

const wire = codeIn('api/scheduler/wire.ts');
const views = codeIn('embedded/scheduler/volumes/render.ts');
const cutting = codeIn('embedded/scheduler/volumes/snapshots.ts');
const spec = codeIn('embedded/scheduler/volumes/spec.ts');

const claims = testsIn('contract/claim-cases.ts');
const plugins = testsIn('contract/plugin-cases.ts');
const external = testsIn('contract/external-cases.ts');

const claimed = 'says by whom and how';

const stub = {
  at: [
    ['volume.list', '*'],
    ['volume.read', ''],
  ],
  embedded: views('joined'),
} as const;

export const volume: Section = {
  title: 'Volume, as listed and read',
  items: [
    ...replied('VolumeStub', stub, {
      ID: 'string',
      ExternalID: 'string',
      Namespace: 'string',
      Name: 'string',
      Topologies: 'list',
      AccessMode: 'string',
      AttachmentMode: 'string',
    }),
    ...replied(
      'VolumeStub',
      { at: [['volume.list', '*']], embedded: views('volumeStub') },
      { CurrentReaders: 'int', CurrentWriters: 'int' },
    ),
    ...replied('VolumeStub', stub, {
      Schedulable: 'bool',
      PluginID: 'string',
      Provider: 'string',
      ControllerRequired: 'bool',
      ControllersHealthy: 'int',
      ControllersExpected: 'int',
      NodesHealthy: 'int',
      NodesExpected: 'int',
      ResourceExhausted: 'int',
      CreateIndex: 'int',
      ModifyIndex: 'int',
    }),
    said('`Topologies` are maps of string to string', {
      client: wire('Topology'),
      embedded: views('shaped'),
      test: plugins('a disk is made where it is preferred among where it may be, and says so'),
    }),
  ],
};

export const volumeRead: Section = {
  title: 'Volume, what a single read adds',
  items: [
    ...replied(
      'VolumeRead',
      { at: [['volume.read', '']], embedded: views('volumeRead') },
      {
        RequestedCapabilities: 'list',
        Allocations: 'list',
        ReadAllocs: 'object',
        WriteAllocs: 'object',
        Version: 'string',
      },
    ),
    ...replied(
      'Capability',
      {
        at: [['volume.read', 'RequestedCapabilities.*']],
        embedded: views('volumeRead'),
        below: 'RequestedCapabilities.',
      },
      { AccessMode: 'string', AttachmentMode: 'string' },
    ),
    said('`Allocations` are list entries; `ReadAllocs`, `WriteAllocs` hold null by allocation ID', {
      client: wire('VolumeRead'),
      embedded: views('idsOnly'),
      test: claims(claimed),
    }),
    ...(['multi-node-single-writer', 'single-node-writer'] as const).map((mode) =>
      said(`\`AccessMode\` \`${mode}\``, {
        client: wire('Capability'),
        embedded: spec('capabilityIn'),
        test: testsIn('coverage/bodies.test.ts')('a volume for $AccessMode as $AttachmentMode says so', mode),
      }),
    ),
    ...(['file-system', 'block-device'] as const).map((mode) =>
      said(`\`AttachmentMode\` \`${mode}\``, {
        client: wire('Capability'),
        embedded: spec('capabilityIn'),
        test: testsIn('coverage/bodies.test.ts')('a volume for $AccessMode as $AttachmentMode says so', mode),
      }),
    ),
  ],
};

export const externalVolume: Section = {
  title: 'External volume',
  items: [
    ...replied(
      'ExternalVolume',
      {
        at: [['volume.external', 'Volumes.*']],
        embedded: codeIn('embedded/scheduler/volumes/external.ts')('shown'),
      },
      {
        ExternalID: 'string',
        CapacityBytes: 'int',
        SnapshotID: 'string',
        PublishedExternalNodeIDs: 'list',
        IsAbnormal: 'bool',
        Status: 'string',
      },
    ),
    said('`Status`: the provider’s message when abnormal, else empty', {
      client: wire('ExternalVolume'),
      embedded: codeIn('embedded/scheduler/volumes/external.ts')('shown'),
      test: external('what is wrong with a disk is told by plugins that can, and wakes a list that waits'),
    }),
  ],
};

export const snapshot: Section = {
  title: 'Snapshot',
  items: [
    ...replied(
      'CreatedSnapshot',
      { at: [['snapshot.create', 'Snapshots.*']], embedded: cutting('created'), below: 'created: ' },
      { ID: 'string', SizeBytes: 'int', CreateTime: 's', IsReady: 'bool', SourceVolumeID: 'string' },
    ),
    ...replied(
      'SnapshotStub',
      { at: [['snapshot.list', 'Snapshots.*']], embedded: cutting('entry'), below: 'listed: ' },
      {
        CreateTime: 's',
        ExternalSourceVolumeID: 'string',
        ID: 'string',
        IsReady: 'bool',
        Parameters: 'any',
        PluginID: 'string',
        SizeBytes: 'int',
      },
    ),
  ],
};
