// While a volume waits to be replaced by one that starts from a snapshot, it names that snapshot, as one does that is not made
// yet. Once it is made as it is declared, it must not: nobody could delete the snapshot any more.
import { expect, test } from 'vitest';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { Own } from '../../../src/kinds/csi-volume/disk.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import type { Spec } from '../../../src/kinds/csi-volume/schema.ts';
import { previous } from './going.ts';
import { declared, key, recorded } from './situation.ts';

const create = { capacity: { min: '1Gi' }, snapshotID: 'snap-1' };
const quick = { create: { ...create, parameters: { tier: 'quick' } }, replacePolicy: 'WhenUnused' as const };
const wrote = (fields: Status['applied']): Status<Own> => ({
  ...recorded,
  applied: { ...recorded.applied, ...fields },
});
const half: Status<Own> = { ...recorded, own: { previous } };

test.for<{ why: string; spec?: Partial<Spec>; memory?: Status<Own>; waits: boolean }>([
  { why: 'not once it is made as it is declared', spec: { create }, waits: false },
  { why: 'not where it would never be replaced', spec: { ...quick, replacePolicy: 'Never' }, waits: false },
  { why: 'not where nobody says that it may be replaced', spec: { create: quick.create }, waits: false },
  { why: 'until its edit is made', spec: quick, waits: true },
  {
    why: 'also where the edit is of another field',
    spec: { ...quick, pluginID: 'nfs', create },
    waits: true,
  },
  {
    why: 'not once the edit is made',
    spec: quick,
    memory: wrote({ '/create/parameters': { tier: 'quick' } }),
    waits: false,
  },
  {
    why: 'not where a field is declared no longer, for that replaces nothing',
    spec: { ...quick, create },
    memory: wrote({ '/create/parameters': { tier: 'quick' } }),
    waits: false,
  },
  {
    why: 'not for another snapshot alone, which replaces nothing',
    spec: { ...quick, create },
    memory: wrote({ '/create/snapshotID': 'snap-0' }),
    waits: false,
  },
  {
    why: 'not where only its size is edited',
    spec: { ...quick, create: { ...create, capacity: { min: '99Gi' } } },
    waits: false,
  },
  { why: 'not where it is only observed', spec: { ...quick, managementPolicy: 'ObserveOnly' }, waits: false },
  {
    why: 'while its old disk is let go of and the new one is not there, whatever is recorded',
    spec: { create },
    memory: half,
    waits: true,
  },
  {
    why: 'not while its old disk is still to be destroyed',
    spec: { create },
    memory: { ...recorded, own: { ...recorded.own, previous } },
    waits: false,
  },
])('a volume waits for the snapshot that it is to start from $why', ({ spec, memory = recorded, waits }) => {
  const opened = csiVolume.open({ key, spec: { ...declared, ...spec }, requests: {} }, {});
  expect(opened.isToBeReplaced(memory)).toBe(waits);
  const name = `snapshot snap-1 of ${spec?.pluginID ?? declared.pluginID}`;
  expect(opened.declaredData(memory)).toEqual(waits ? [{ name, ifAllowed: true }] : []);
});

test('what was never made is not to be replaced', () => {
  const opened = csiVolume.open({ key, spec: { ...declared, create }, requests: {} }, {});
  expect(opened.isToBeReplaced(noStatus)).toBe(false);
});
