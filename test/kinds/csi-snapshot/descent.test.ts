// A snapshot moves to another namespace by what it was taken of. By a wrong answer a tenant reads the disk of another, or a snapshot
// is destroyed that only moved.
import { expect, test } from 'vitest';
import type { Resolved } from '../../../src/core/resource.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { csiSnapshot } from '../../../src/kinds/csi-snapshot/kind.ts';
import type { Own } from '../../../src/kinds/csi-snapshot/own.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot/schema.ts';
import { declared, key, ofVolume, own, ready, recorded } from './situation.ts';

const heir = { ...key, namespace: 'store' };
const descent = (spec: Spec, resolved: Resolved, status: Status<Own> = recorded) =>
  csiSnapshot.open({ key: heir, spec, requests: {} }, {}).descent(resolved, status);
const at = (outputs: object): Resolved => new Map([['/volumeRef', ready(outputs)]]);
const waiting: Resolved = new Map([['/volumeRef', { state: 'waiting', message: '' }]]);
const byID: Spec = { ...ofVolume, volumeID: 'orders' };
const { disk: _disk, ...undisked } = own;
const { volumeID: _volumeID, ...old } = undisked;

interface Case {
  readonly why: string;
  readonly spec?: Spec;
  readonly resolved?: Resolved;
  readonly taken?: Own;
  readonly is: string;
  readonly data?: string;
}

test.for<Case>([
  { why: 'of the volume that it was taken of, on the same disk', resolved: at({}), is: 'same' },
  { why: 'of another volume of the same object name', resolved: at({ volumeID: 'mine' }), is: 'other' },
  { why: 'of an ID that another disk has by now', resolved: at({ externalID: 'vol-2' }), is: 'replaced' },
  { why: 'of a volume whose disk is not known', resolved: at({ externalID: '' }), is: 'replaced' },
  { why: 'of the same ID at another service', resolved: at({ backend: 'b2' }), is: 'other' },
  { why: 'of the same ID in another namespace there', resolved: at({ namespace: 'dev' }), is: 'other' },
  { why: 'of a volume that is not made', resolved: at({ volumeID: '', externalID: '' }), is: 'unknown' },
  { why: 'of a volume that is not declared', resolved: waiting, is: 'unknown' },
  { why: 'by the ID alone, which tells no disk', spec: byID, is: 'replaced' },
  { why: 'by another ID', spec: ofVolume, is: 'other' },
  // That ID may have been another tenant's before, so access has to give the snapshot itself (decision 16).
  {
    why: 'of a disk that nobody told, whatever disk its ID leads to by now,',
    resolved: at({ externalID: 'vol-2' }),
    taken: undisked,
    is: 'replaced',
    data: 'snap-1',
  },
  {
    why: 'of a disk that nobody told, by the ID alone,',
    spec: byID,
    taken: undisked,
    is: 'replaced',
    data: 'snap-1',
  },
  {
    why: 'of a volume that was on another disk than was recorded, as the plugin told',
    resolved: at({}),
    taken: { ...own, source: 'vol-7' },
    is: 'replaced',
    data: 'vol-7',
  },
])(
  'a snapshot $why is of $is',
  ({ spec = declared, resolved = new Map(), taken = own, is, data = 'vol-1' }) => {
    expect(descent(spec, resolved, { ...recorded, own: taken })).toEqual({
      from: is,
      source: 'orders',
      data,
    });
  },
);

test('where nothing tells the volume, access has to give the snapshot itself', () => {
  const told = { from: 'unknown', source: 'snap-1', data: 'snap-1' };
  expect(descent(declared, at({}), { ...recorded, own: old })).toEqual(told);
});

test('one of which nothing is recorded hands nothing over', () => {
  expect(descent(declared, at({}), noStatus)).toBeUndefined();
});
