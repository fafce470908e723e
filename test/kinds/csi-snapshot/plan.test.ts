// What CSISnapshot plans for what was declared, seen and remembered: the verb, the operation, and why not.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import {
  answered,
  identity,
  named,
  ofVolume,
  outline,
  ready,
  recorded,
  told,
  unanswered,
  type Given,
} from './situation.ts';

interface Row {
  readonly why: string;
  readonly given: Given;
  readonly expect: string;
}
const row = (why: string, given: Given, outcome: string): Row => ({ why, given, expect: outcome });

const absent: Given = { live: 'absent' };
const unlisted: Given = { live: 'unknown' };
const fresh: Given = { ...absent, memory: noStatus };
const waits = (state: 'waiting' | 'missing', message: string): Given => ({
  resolved: { '/volumeRef': { state, message } },
});
const gone = waits('missing', 'CSIVolume/shop/orders does not exist');
const replaced: Given = { resolved: { '/volumeRef': ready({ externalID: 'vol-2' }) } };
const unready: Given = { live: { IsReady: false } };
const deletes: Given = { deleting: true, policy: { deletion: 'Delete' } };
const observing: Given = { policy: { management: 'ObserveOnly' } };
const adopts = (adoption: 'AdoptIfIdentical' | 'Adopt'): Given => ({ policy: { adoption } });
const located = { backend: 'b1', namespace: 'default', snapshot: 'ebs/snap-1' };
const existing: Given = { spec: named, memory: noStatus, located };
const stalledAdoption = 'stalled AdoptionRefused until live';
const failed = (leaving: number, create = 3) => ({
  ...unanswered,
  tries: { create, 'create to delete': leaving }, // before it left, and since
});
const deleting = { ...recorded, pending: { op: 'delete', token: 'Delete', evidence: { removed: identity } } };

const taking: readonly Row[] = [
  row('never taken', fresh, 'create by snapshot.create'),
  row(
    'of a volume that nobody declares',
    { ...fresh, spec: ofVolume, resolved: {} },
    'create by snapshot.create',
  ),
  row(
    'its volume is not ready',
    { ...fresh, ...waits('waiting', 'not ready') },
    'blocked DependencyNotReady until object',
  ),
  row('its volume is not declared', { ...fresh, ...gone }, 'blocked DependencyNotReady until object'),
  row(
    'its volume is on another scheduler',
    { ...fresh, resolved: { '/volumeRef': ready({ backend: 'b2' }) } },
    'stalled VolumeElsewhere until edit',
  ),
  row(
    'its volume is in another namespace of the scheduler',
    { ...fresh, resolved: { '/volumeRef': ready({ namespace: 'other' }) } },
    'stalled VolumeElsewhere until edit',
  ),
  row(
    'an answer was lost: repeated, to learn its ID',
    { ...absent, memory: unanswered },
    'create by snapshot.create',
  ),
  row(
    'an answer was lost, and so was the volume: repeated all the same',
    { ...absent, memory: unanswered, ...gone },
    'create by snapshot.create',
  ),
  row(
    'an answer was lost, and the volume is on another disk by now: that would be a snapshot of other data',
    { ...absent, memory: unanswered, ...replaced },
    'stalled VolumeReplaced until object',
  ),
  row(
    'nor is it repeated where the plugin can not list',
    { ...unlisted, memory: unanswered, ...replaced },
    'stalled VolumeReplaced until object',
  ),
  row(
    'it was taken of a disk that somebody else registered: it is not what was asked for',
    { live: { ExternalSourceVolumeID: 'vol-2' } },
    'stalled VolumeReplaced until edit',
  ),
  row(
    'nothing tells what it was taken of: it is believed',
    { live: { ExternalSourceVolumeID: '' } },
    'in-sync',
  ),
  row(
    'an answer was lost, and the declaration names another volume: repeated of the recorded one',
    { ...absent, memory: unanswered, resolved: { '/volumeRef': ready({ volumeID: 'x', externalID: 'v' }) } },
    'create by snapshot.create',
  ),
  row(
    'an answer was lost, and the disk of its volume is not known: repeated',
    { ...absent, memory: unanswered, resolved: { '/volumeRef': ready({ externalID: '' }) } },
    'create by snapshot.create',
  ),
  row('an observer takes none', { ...fresh, ...observing }, 'blocked ExternalNotFound until live'),
  row(
    'deleted by us and declared again: that is another one',
    { ...absent, memory: { ...noStatus, pending: { op: 'delete', token: 'Delete', done: true } } },
    'create by snapshot.create',
  ),
  row(
    'suspended: not yet',
    { ...fresh, policy: { suspend: true } },
    'blocked Suspended until edit /volumeRef',
  ),
];

const keeping: readonly Row[] = [
  row('listed and ready', {}, 'in-sync'),
  row('its volume is gone: it outlives that', gone, 'in-sync'),
  row('taken, and not to be used yet', unready, 'blocked SnapshotNotReady until time'),
  row(
    'nor where the provider does not say',
    { live: { IsReady: false } },
    'blocked SnapshotNotReady until time',
  ),
  row(
    'the list does not show it yet',
    { ...absent, memory: answered, sinceMs: 90_000 },
    'blocked AwaitingVisibility until time',
  ),
  row('the list never showed it', { ...absent, memory: answered }, 'stalled ExternalObjectLost until live'),
  row('it vanished: another one would be of another moment', absent, 'stalled ExternalObjectLost until live'),
  row(
    'and so it is for who may adopt',
    { ...absent, ...adopts('Adopt') },
    'stalled ExternalObjectLost until live',
  ),
  row('first listed: its answer told the ID', { memory: answered }, 'in-sync'),
  row('the plugin can not list: as it was told', { ...unlisted, memory: answered }, 'in-sync'),
  row(
    'another scheduler',
    { located: { ...located, backend: 'b2', snapshot: 'shop/nightly' } },
    'stalled BackendChanged until edit',
  ),
];

const adopting: readonly Row[] = [
  row('Fail takes nothing', existing, stalledAdoption),
  row(
    'AdoptIfIdentical takes it: there is nothing to differ',
    { ...existing, ...adopts('AdoptIfIdentical') },
    'adopt',
  ),
  row('so does Adopt', { ...existing, ...adopts('Adopt') }, 'adopt'),
  row('an observer takes nothing and reports', { ...existing, ...observing }, 'in-sync'),
  row('there is none of that ID', { ...existing, ...absent }, 'stalled ExternalNotFound until live'),
  row(
    'none, for an observer',
    { ...existing, ...absent, ...observing },
    'blocked ExternalNotFound until live',
  ),
  row(
    'the plugin can not list: nobody knows whether it exists',
    { ...existing, ...unlisted },
    'stalled AdoptionRefused until edit',
  ),
  row(
    'nor does who may adopt, and none is taken',
    { ...existing, ...unlisted, ...adopts('Adopt') },
    'stalled ExternalNotFound until live',
  ),
  row(
    'what another answer told is not ours',
    { memory: { ...answered, own: { ...told, id: 'snap-2' } } },
    stalledAdoption,
  ),
  row(
    'nor is one of another plugin',
    { memory: { ...answered, own: { ...told, pluginID: 'efs' } } },
    stalledAdoption,
  ),
  row(
    'nor is one whose identity is not the recorded one, though its ID is',
    { memory: { ...recorded, identity: 'snapshot snap-1 of ebs, 5' } },
    stalledAdoption,
  ),
];

const removed = 'delete by snapshot.delete';

const leaving: readonly Row[] = [
  row('it stays, unless it is to be deleted', { deleting: true }, 'gone kept'),
  row('Delete deletes it', deletes, removed),
  row('also while it can not be used yet', { ...deletes, ...unready, memory: answered }, removed),
  row('also without its volume', { ...deletes, ...gone }, removed),
  row('what is not ours stays', { ...existing, ...deletes }, 'gone kept'),
  row(
    'an observer deletes nothing',
    { ...deletes, policy: { deletion: 'Delete', management: 'ObserveOnly' } },
    'gone kept',
  ),
  row('it is gone already', { ...deletes, ...absent }, 'gone removed'),
  row(
    'the plugin can not list: deleted by the recorded ID',
    { ...deletes, ...unlisted, memory: answered },
    removed,
  ),
  row('and once more, should that have been lost', { ...deletes, ...unlisted, memory: deleting }, removed),
  row(
    'an answer was lost: repeated first, since nothing else finds what it made',
    { ...deletes, ...absent, memory: unanswered, ...gone },
    'create by snapshot.create',
  ),
  row(
    'and given up after some refusals',
    { ...deletes, ...absent, memory: failed(3), ...gone },
    'gone removed',
  ),
  row(
    'and where its volume is on another disk by now: what is made of that is not it',
    { ...deletes, ...absent, memory: unanswered, ...replaced },
    'gone removed',
  ),
  row('but not before', { ...deletes, ...absent, memory: failed(2), ...gone }, 'create by snapshot.create'),
  row(
    'kept: an unanswered create is not repeated for that',
    { deleting: true, ...absent, memory: unanswered },
    'gone kept',
  ),
  row(
    'suspended: not yet',
    { ...deletes, policy: { deletion: 'Delete', suspend: true } },
    'blocked DeletionBlocked until edit',
  ),
];

describe.for(Object.entries({ taking, keeping, adopting, leaving }))('%s', ([, table]) => {
  test.for(table)('$why: $expect', ({ given, expect: outcome }) => {
    expect(outline(given)).toBe(outcome);
  });
});
