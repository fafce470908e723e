// scheduler-api.md, "Volumes (CSI)": snapshots.
import { codeIn, endpoint, parameters, said, sent, testsIn, type Section } from '../../item.ts';

const lists = codeIn('embedded/scheduler/provider/lists.ts');
const cutting = codeIn('embedded/scheduler/volumes/snapshots.ts');

const snapshots = testsIn('contract/snapshot-cases.ts');
const acl = testsIn('contract/acl-cases.ts');

const denied = (row: string) =>
  acl('$route: who lacks just what it needs is denied, and nothing happens', row);

const ofPlugin = 'pages follow tokens that only the plugin understands, and are no longer than it likes';
const told = 'are told once, with an ID that is nowhere else, and then listed, until they are deleted';
const secretsOfVolume = "secrets: create takes the volume's and the request's, and not the header's";

export const snapshotEndpoints: Section = {
  title: 'Create, Delete and List Snapshots',
  items: [
    ...endpoint('snapshot.create', 'POST /v1/volumes/snapshot', {
      blocking: 'no',
      acl: 'namespace:csi-write-volume',
      aclTest: denied('POST /v1/volumes/snapshot'),
      test: snapshots(told),
    }),
    said('needs the capability `CREATE_DELETE_SNAPSHOT`', {
      client: codeIn('api/scheduler/refusals.ts')('refusal'),
      embedded: cutting('cutsSnapshots'),
      test: snapshots('a plugin that lacks it can not $verb', "verb: 'create'"),
    }),
    ...sent(
      'snapshot.create',
      'SnapshotBody',
      { reader: cutting('snapshotIn'), at: 'Snapshots[0]' },
      { SourceVolumeID: 'string', PluginID: 'string', Name: 'string', Secrets: 'any', Parameters: 'object' },
      {
        SourceVolumeID: snapshots('create says "$text": $why', 'no such volume "absent"'),
        PluginID: snapshots('create says "$text": $why', 'no such plugin "none"'),
        Name: snapshots('one of the same name and source is the same one, of another source a conflict'),
        Secrets: snapshots(secretsOfVolume),
      },
    ),
    said('reply: `Snapshots` list', {
      client: { op: 'snapshot.create' },
      embedded: cutting('createSnapshots'),
      test: snapshots(told),
    }),
    ...endpoint('snapshot.delete', 'DELETE /v1/volumes/snapshot', {
      blocking: 'no',
      acl: 'namespace:csi-write-volume',
      aclTest: denied('DELETE /v1/volumes/snapshot'),
      test: snapshots(told),
    }),
    said('needs the capability `CREATE_DELETE_SNAPSHOT`', {
      client: codeIn('api/scheduler/refusals.ts')('refusal'),
      embedded: cutting('cutsSnapshots'),
      test: snapshots('a plugin that lacks it can not $verb', "verb: 'delete'"),
    }),
    ...parameters('snapshot.delete', cutting('deleteSnapshot'), {
      plugin_id: [
        'required, prefix of a plugin’s ID',
        snapshots('plugin_id of a deletion names one plugin, by the documents by its beginning'),
      ],
      snapshot_id: ['required', snapshots('deleting asks for a plugin and an ID, listing for a plugin')],
    }),
    said('header `X-Cluster-CSI-Secrets`: merged with those of the creation', {
      client: { op: 'snapshot.delete', parameter: 'secrets' },
      embedded: codeIn('embedded/scheduler/volumes/csi-secrets.ts')('sentSecrets'),
      test: snapshots(
        'secrets: by the documents a deletion has those of the creation too, really only those of the header',
      ),
    }),
    ...endpoint('snapshot.list', 'GET /v1/volumes/snapshot', {
      blocking: snapshots('a list that waits is woken by one that gets ready; the real service never waits'),
      acl: 'namespace:csi-list-volume',
      aclTest: denied('GET /v1/volumes/snapshot'),
      test: snapshots(told),
    }),
    said('needs the capability `LIST_SNAPSHOTS`', {
      client: codeIn('api/scheduler/refusals.ts')('refusal'),
      embedded: lists('page'),
      test: snapshots('a plugin that lacks it can not $verb', "verb: 'list'"),
    }),
    ...parameters('snapshot.list', lists('page'), {
      plugin_id: [
        'required, prefix of a plugin’s ID',
        snapshots('deleting asks for a plugin and an ID, listing for a plugin'),
      ],
      next_token: ['from the page before', snapshots(ofPlugin)],
      per_page: ['required', snapshots(ofPlugin)],
    }),
    said('header `X-Cluster-CSI-Secrets`', {
      client: { op: 'snapshot.list', parameter: 'secrets' },
      embedded: codeIn('embedded/scheduler/volumes/csi-secrets.ts')('sentSecrets'),
      test: snapshots('secrets: a list has those of the header'),
    }),
    said('reply: `NextToken`', {
      client: codeIn('api/scheduler/decode.ts')('decode'),
      embedded: lists('listed'),
      test: snapshots(ofPlugin),
    }),
    said('reply: `Snapshots` list', {
      client: { op: 'snapshot.list' },
      embedded: cutting('entry'),
      test: snapshots(told),
    }),
  ],
};
