// scheduler-api.md, "Volumes (CSI)": what writes.
import { codeIn, endpoint, parameters, said, sent, testsIn, type Section } from '../../item.ts';

const registration = codeIn('embedded/scheduler/volumes/registration.ts');
const removal = codeIn('embedded/scheduler/volumes/removal.ts');
const spec = codeIn('embedded/scheduler/volumes/spec.ts');
const endpoints = codeIn('embedded/scheduler/http/endpoints.ts');

const reads = testsIn('contract/read-cases.ts');
const writes = testsIn('contract/write-cases.ts');
const claims = testsIn('contract/claim-cases.ts');
const plugins = testsIn('contract/plugin-cases.ts');
const external = testsIn('contract/external-cases.ts');
const snapshots = testsIn('contract/snapshot-cases.ts');
const acl = testsIn('contract/acl-cases.ts');
const ours = testsIn('coverage/bodies.test.ts');

const denied = (row: string) =>
  acl('$route: who lacks just what it needs is denied, and nothing happens', row);
const backlist = 'what was created reads back, without its secrets and as large as the provider made it';

const id = endpoints('served', '`{id}` of the path');

const volumeBody = { reader: spec('volumeIn'), at: 'Volumes[0]' };

export const registerVolume: Section = {
  title: 'Register Volume',
  items: [
    ...endpoint('volume.register', 'PUT /v1/volume/csi/<volume_id>', {
      blocking: 'no',
      acl: 'namespace:csi-write-volume',
      aclTest: denied('PUT /v1/volume/csi/{id}'),
      test: writes(
        'deregistering answers with nothing but headers; the disk stays and can be registered again',
      ),
    }),
    said('`volume_id` in the path', {
      client: { op: 'volume.register', parameter: 'id' },
      embedded: id,
      test: writes('no volume in the body is an error, two are not, and the ID in the path is ignored'),
    }),
    said('body: `Volumes` list', {
      client: { op: 'volume.register' },
      embedded: spec('volumesIn'),
      test: writes('no volume in the body is an error, two are not, and the ID in the path is ignored'),
    }),
    ...sent(
      'volume.register',
      'VolumeBody',
      volumeBody,
      {
        ExternalID: 'string',
        ID: 'string',
        Name: 'string',
        Namespace: 'string',
        PluginID: 'string',
        RequestedCapabilities: 'any',
        Secrets: 'any',
        Topologies: 'any',
      },
      {
        ExternalID: writes('registering a disk that is not there is refused by the plugin'),
        Namespace: acl(
          'the body says in which namespace a volume is written, the query where it is not said',
        ),
        PluginID: writes('500 "$text": $why', 'no CSI plugin named: none could be found'),
        RequestedCapabilities: writes('500 "$text": $why', 'must include at least one capability block'),
      },
    ),
    ...sent(
      'volume.register',
      'Capability',
      {
        reader: spec('capabilityIn'),
        at: 'Volumes[0].RequestedCapabilities[0]',
        below: 'RequestedCapabilities.',
      },
      {
        AccessMode: 'string',
        AttachmentMode: 'string',
      },
    ),
    said('the volume must exist at its provider', {
      client: codeIn('api/scheduler/refusals.ts')('refusal'),
      embedded: registration('newVolume'),
      test: writes('registering a disk that is not there is refused by the plugin'),
    }),
  ],
};

export const createVolume: Section = {
  title: 'Create Volume',
  items: [
    ...endpoint('volume.create', 'PUT /v1/volume/csi/<volume_id>/create', {
      blocking: 'no',
      acl: 'namespace:csi-write-volume',
      aclTest: denied('PUT /v1/volume/csi/{id}/create'),
      test: reads(backlist),
    }),
    said('needs the capability `CREATE_DELETE_VOLUME`', {
      client: { op: 'volume.create' },
      embedded: registration('create'),
      test: plugins('create says "$text": $why', 'plugin does not support creating'),
    }),
    said('`volume_id` in the path', {
      client: { op: 'volume.create', parameter: 'id' },
      embedded: id,
      test: writes('no volume in the body is an error, two are not, and the ID in the path is ignored'),
    }),
    said('body: `Volumes` list', {
      client: { op: 'volume.create' },
      embedded: spec('volumesIn'),
      test: writes('no volume in the body is an error, two are not, and the ID in the path is ignored'),
    }),
    ...sent(
      'volume.create',
      'VolumeBody',
      volumeBody,
      {
        ID: 'string',
        Name: 'string',
        Namespace: 'string',
        PluginID: 'string',
        MountOptions: 'any',
      },
      {
        Name: writes('the same name finds the same disk, whatever the ID'),
        Namespace: acl(
          'the body says in which namespace a volume is written, the query where it is not said',
        ),
        PluginID: writes('500 "$text": $why', 'no CSI plugin named: none could be found'),
        MountOptions: reads(backlist),
      },
    ),
    ...sent(
      'volume.create',
      'MountOptions',
      { reader: spec('mountOptionsIn'), at: 'Volumes[0].MountOptions', below: 'MountOptions.' },
      {
        FsType: 'string',
        MountFlags: 'list',
      },
      { FsType: reads(backlist), MountFlags: reads(backlist) },
    ),
    ...sent(
      'volume.create',
      'VolumeBody',
      volumeBody,
      {
        RequestedCapacityMin: 'int',
        RequestedCapacityMax: 'int',
        RequestedCapabilities: 'any',
        Secrets: 'any',
        SnapshotID: 'string',
        Topologies: 'any',
      },
      {
        RequestedCapacityMin: plugins('disks are whole MiB, at least as large as asked for'),
        RequestedCapacityMax: plugins('create says "$text": $why', 'unsupported capacity_range for volume'),
        RequestedCapabilities: writes('500 "$text": $why', 'must include at least one capability block'),
        Secrets: plugins('deleting merges stored secrets with those of the header, where commas separate'),
        SnapshotID: snapshots('a volume is made from one, as large as that'),
        Topologies: ours('a volume is made where its Topologies say: by the documents they ask'),
      },
    ),
    said('makes the disk at the provider and registers it', {
      client: { op: 'volume.create' },
      embedded: registration('make'),
      test: external('a disk is listed by its external ID, whether it is registered or not'),
    }),
  ],
};

const deregister =
  'an ended allocation still holds the volume, until force or, by the documents, detaching releases it';

export const removing: Section = {
  title: 'Deregister, Delete and Detach Volume',
  items: [
    ...endpoint('volume.deregister', 'DELETE /v1/volume/csi/<volume_id>', {
      blocking: 'no',
      acl: 'namespace:csi-write-volume',
      aclTest: denied('DELETE /v1/volume/csi/{id}'),
      test: writes(
        'deregistering answers with nothing but headers; the disk stays and can be registered again',
      ),
    }),
    ...parameters('volume.deregister', removal('deregisterVolume'), {
      id: ['the full ID', writes('DELETE absent$path is $status: $why', 'there is none to deregister')],
      force: ['default false: drops claims of ended allocations', claims(deregister)],
    }),
    said('`force` is an error while an allocation runs', {
      client: { op: 'volume.deregister', parameter: 'force' },
      embedded: removal('deregister'),
      test: claims('is not deregistered%s', "'?force=true'"),
    }),
    ...endpoint('volume.delete', 'DELETE /v1/volume/csi/<volume_id>/delete', {
      blocking: 'no',
      acl: 'namespace:csi-write-volume',
      aclTest: denied('DELETE /v1/volume/csi/{id}/delete'),
      test: writes('deleting takes the disk along: its name is free again'),
    }),
    said('needs the capability `CREATE_DELETE_VOLUME`', {
      client: codeIn('api/scheduler/refusals.ts')('refusal'),
      embedded: codeIn('embedded/scheduler/provider/provider.ts')('remove'),
      test: ours('a plugin that makes no disks deletes none'),
    }),
    ...parameters('volume.delete', removal('deleteVolume'), {
      id: ['the full ID', writes('DELETE absent$path is $status: $why', 'there is none to delete')],
    }),
    said('header `X-Cluster-CSI-Secrets`: pairs with commas, merged with the stored ones', {
      client: { op: 'volume.delete', parameter: 'secrets' },
      embedded: codeIn('embedded/scheduler/volumes/csi-secrets.ts')('sentSecrets'),
      test: plugins('deleting merges stored secrets with those of the header, where commas separate'),
    }),
    ...endpoint('volume.detach', 'DELETE /v1/volume/csi/<volume_id>/detach', {
      blocking: 'no',
      acl: 'namespace:csi-write-volume',
      aclTest: denied('DELETE /v1/volume/csi/{id}/detach'),
      test: claims(deregister),
    }),
    ...parameters('volume.detach', removal('detachVolume'), {
      id: ['the full ID', writes('DELETE absent$path is $status: $why', 'there is none to detach')],
      node: ['required', writes('DELETE absent$path is $status: $why', 'detaching is from a node')],
    }),
  ],
};
