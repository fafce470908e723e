// A snapshot with all that it can have declared, and the list that it is in.
import type { Sample } from '../samples.ts';

const connectionRef = { name: 'production' };
const cut = { connectionRef, volumeRef: { name: 'data' } };

export const snapshotSample: Sample = {
  specs: [
    cut,
    {
      ...cut,
      deletionPolicy: 'Delete',
      parameters: { type: 'slow' },
      secrets: { key: { name: 'l', key: 'p' } },
    },
    {
      ...cut,
      hooks: {
        selector: { job: 'db' },
        before: { exec: { task: 'db', command: ['freeze'] } },
        after: { signal: { name: 'SIGUSR2' } },
      },
    },
    {
      connectionRef: connectionRef,
      volumeID: 'data',
      pluginID: 'ebs',
      managementPolicy: 'ObserveOnly',
    },
    { connectionRef: connectionRef, snapshotID: 'snap-1', pluginID: 'ebs', adoptionPolicy: 'Adopt' },
  ],
  replies: {
    'allocation.list': [],
    'snapshot.list': {
      NextToken: '',
      Snapshots: [
        {
          ID: 'snap-0',
          PluginID: 'ebs',
          CreateTime: 5,
          IsReady: true,
          SizeBytes: 1,
          ExternalSourceVolumeID: 'vol-0',
        },
        {
          ID: 'snap-1',
          PluginID: 'ebs',
          CreateTime: 7,
          IsReady: true,
          SizeBytes: 1,
          ExternalSourceVolumeID: 'vol-1',
        },
      ],
    },
  },
  ref: { backend: 'b1', namespace: 'default', snapshot: 'shop/data' },
  own: { id: 'snap-1', pluginID: 'ebs', volumeID: 'data', disk: 'vol-1', takenAt: 7, ready: true },
  requests: [],
};
