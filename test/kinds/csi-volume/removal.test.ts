// How a disk goes, step by step. Each step is one that a crash or a lost answer may follow, and none may destroy a disk that is
// not the one that was recorded, or that somebody has.
import { describe, expect, test } from 'vitest';
import { diskOf, parseOwn } from '../../../src/kinds/csi-volume/disk.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import { after, deregister, id, previous, retired, target } from './going.ts';
import {
  allocation,
  box,
  declared,
  existing,
  firstStep,
  outline,
  planned,
  reader,
  recorded,
  sent,
  startMs,
  claimedBy,
  type Given,
} from './situation.ts';

const deletes: Given = { deleting: true, policy: { deletion: 'Delete' } };

const ends = (given: Given) => {
  const plan = planned({ ...deletes, ...given });
  return plan.verdict === 'blocked' ? [plan.reason, plan.message] : plan.verdict;
};

describe('a disk that is to be destroyed', () => {
  test('is deregistered first, which is refused while anybody claims it; what destroys it is recorded before', () => {
    const { disk } = recorded.own ?? {};
    expect(firstStep(deletes)).toEqual({
      verb: 'delete',
      summary: 'delete data and its data',
      effect: deregister('data'),
      destroys: 'data',
      data: 'vol-1',
      changes: [],
      intent: { op: 'delete', token: 'Delete', evidence: { removed: 'vol-1 3', retired: id } },
      identity: 'vol-1 3',
      noted: { disk, previous },
      own: { previous },
    });
  });

  test('is named only where it is: a deregistration waits for nobody who declares the same disk', () => {
    const step = firstStep({ ...deletes, policy: { deletion: 'Deregister' } });
    expect([step.destroys, step.data]).toEqual(['registration', undefined]);
  });

  test('and is to be kept before it is: it is registered as it was, and then let go of', () => {
    const policy = { deletion: 'Retain' } as const;
    const keeps: Given = { deleting: true, volume: 'absent', policy, nowMs: startMs + 60_000 };
    for (const op of ['delete', 'replace', 'retire']) {
      // Declared otherwise than it was: half way through a replacement, too, the old one is what is left.
      const spec = { ...declared, pluginID: 'nfs' };
      expect(firstStep({ ...keeps, spec, memory: after(op) })).toMatchObject({
        verb: 'revive',
        summary: 'register vol-1 again',
        own: { disk: previous.disk },
      });
      const observing = { ...policy, management: 'ObserveOnly' } as const;
      expect(outline({ ...keeps, memory: after(op), policy: observing })).toBe('gone kept');
    }
    expect(outline({ ...keeps, memory: after('destroy') })).toBe('gone kept');
    expect(csiVolume.isHalfRemoved(after('delete'))).toBe(true);
    expect(csiVolume.isHalfRemoved(recorded)).toBe(false);
  });

  test('is never forced away from who claims it', () => {
    const forced = firstStep({ ...deletes, requests: { 'force-release': 'x' } });
    expect(forced.effect).toEqual(deregister('data'));
  });

  test('keeps the name that was drawn for it: under a second one nobody would find it', () => {
    const pending = { op: 'delete', token: 'Delete', evidence: { retired: 'holdfast-retired-earlier' } };
    const memory = { ...recorded, pending };
    expect(firstStep({ ...deletes, memory, nowMs: startMs + 3_000 }).intent?.evidence).toEqual({
      removed: 'vol-1 3',
      retired: 'holdfast-retired-earlier',
    });
  });

  test.for<{ why: string; sharedWith: NonNullable<Given['sharedWith']>; message: string }>([
    {
      why: 'nobody looked for others that have it',
      sharedWith: 'not looked for',
      message: 'data: other registrations of its disk were not looked for',
    },
    {
      why: 'others have it',
      sharedWith: ['other/copy'],
      message: 'data: its disk vol-1 is also registered as other/copy',
    },
  ])('stays where $why', ({ sharedWith, message }) => {
    expect(planned({ ...deletes, sharedWith })).toMatchObject({
      verdict: 'blocked',
      reason: 'DeletionBlocked',
      message,
      wake: { on: 'live' },
    });
  });

  describe('is not deregistered without what its plugin needs: the service would forget what it has stored', () => {
    const user = { name: 'csi', key: 'user' };
    const wrote = { '/secrets': { user: { $secret: 'csi/user', version: '1' } } };
    const keep = 'or keep the disk (deletionPolicy: Deregister or Retain';

    test('a Secret that left with the volume is waited for, and what else helps is said', () => {
      const given = { spec: { secrets: { user } }, missing: ['user'] };
      const says =
        '/secrets/user: Secret shop/csi has no entry user, and without it the disk can not be destroyed; put it back, ';
      expect(ends(given)).toEqual(['DeletionBlocked', `${says}${keep}, or holdfast orphan)`]);
      expect(ends({ ...given, policy: { deletion: 'Deregister' } })).toBe('change');
      expect(ends({ ...given, missing: [], secrets: { user: box('csi/user') } })).toBe('change');
    });

    test.for<{ why: string; given: Given }>([
      { why: 'is not declared any more', given: {} },
      {
        why: 'is declared from another Secret',
        given: { spec: { secrets: { user } }, secrets: { user: box('other/user') } },
      },
    ])('one that it was given and that $why is asked for again', ({ given }) => {
      const says =
        '/secrets/user: the plugin was last given csi/user, and without it the disk can not be destroyed; declare it again beside the others, ';
      expect(ends({ ...given, wrote })).toEqual(['DeletionBlocked', `${says}${keep}, or holdfast orphan)`]);
      const replaced: Given = {
        spec: { ...given.spec, pluginID: 'nfs' },
        policy: { deletion: 'Delete', replace: 'WhenUnused' },
        deleting: false,
        plugin: { ID: 'nfs' },
        wrote,
      };
      expect(ends({ ...given, ...replaced })).toEqual(['ReplacementBlocked', `${says}${keep})`]);
      expect(ends({ ...given, ...replaced, policy: { replace: 'WhenUnused' } })).toBe('change');
    });

    test('a newer version of the same is what the plugin takes by now, and where none is known none is asked for', () => {
      const given = { spec: { secrets: { user } }, secrets: { user: box('csi/user', '2') } };
      expect(ends({ ...given, wrote })).toBe('change');
      expect(ends({ ...given, wrote: { '/secrets': null } })).toBe('change');
    });
  });

  test('is registered once more, as it was, under an ID that nobody knows', () => {
    const memory = after('delete', { own: { previous } });
    const given: Given = {
      ...deletes,
      volume: 'absent',
      memory,
      spec: { capabilities: [reader], create: { capacity: { min: '90Gi', max: '95Gi' } } },
    };
    const step = firstStep(given);
    expect(step).toMatchObject({
      verb: 'destroy',
      summary: `register vol-1 as ${id}, which nobody can claim`,
      effect: { port: 'scheduler', op: 'volume.register', params: { ...target, id } },
      intent: { op: 'retire', token: id, evidence: { retired: id } },
    });
    expect(step.own).toEqual({ previous });
    expect(step.destroys).toBeUndefined();
    const body = Object(sent(given));
    expect(body).toMatchObject({
      ID: id,
      Namespace: 'default',
      Name: existing.Name,
      ExternalID: 'vol-1',
      Context: { lun: '3' },
      RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
    });
    expect(body.RequestedCapacityMin ?? body.RequestedCapacityMax ?? 'of no size').toBe('of no size');
  });

  const unseen: Given = { ...deletes, volume: 'absent', memory: after('retire') };
  const standing: Given = { ...unseen, retired };
  /** What was done shows by now, or never will. */
  const later: Given = { nowMs: startMs + 30_001 };

  test('is then destroyed under that ID, and nothing of it is remembered', () => {
    expect(firstStep(standing)).toEqual({
      verb: 'destroy',
      summary: 'destroy the disk vol-1',
      effect: { port: 'scheduler', op: 'volume.delete', params: { ...target, id } },
      destroys: 'data',
      data: 'vol-1',
      intent: { op: 'destroy', token: id, evidence: { retired: id } },
      noted: { previous: { ...previous, destroying: true } },
      own: {},
      changes: [],
    });
  });

  test.for<{ why: string; lost: typeof previous }>([
    { why: 'somebody deleted it at the provider', lost: previous },
    { why: 'its destruction had no answer', lost: { ...previous, destroying: true } },
  ])('is gone where $why, and its provider does not know it any more', ({ lost }) => {
    expect(firstStep({ ...unseen, memory: after('delete', { own: { previous: lost } }) })).toMatchObject({
      effect: { op: 'volume.register', params: { ...target, id } },
      own: { previous: lost },
      rejection: { reason: 'ExternalVolumeNotFound', proves: { op: 'destroy', token: id } },
    });
  });

  test('is destroyed with the secrets that are declared: those that the service stored may be of another day', () => {
    const secret = box('s');
    const given: Given = {
      ...standing,
      spec: { secrets: { key: { name: 's', key: 'k' } } },
      secrets: { key: secret },
    };
    const { effect } = firstStep(given);
    expect(effect).toMatchObject({ params: { ...target, id, secrets: { key: secret } } });
  });

  test.for<{ why: string; found: NonNullable<Given['retired']>; message: string }>([
    {
      why: 'somebody claims it by that ID',
      found: { ...retired, volume: { ...retired.volume, ...claimedBy(allocation('a1')) } },
      message: `${id}: claimed by allocation a1`,
    },
    {
      why: 'it is registered elsewhere by now',
      found: { ...retired, sharedWith: ['other/copy'] },
      message: `${id}: its disk vol-1 is also registered as other/copy`,
    },
    {
      why: 'nobody looked whether it is',
      found: { volume: retired.volume },
      message: `${id}: other registrations of its disk were not looked for`,
    },
  ])('is not destroyed where $why', ({ found, message }) => {
    expect(planned({ ...standing, retired: found })).toMatchObject({
      verdict: 'blocked',
      reason: 'DeletionBlocked',
      message,
      wake: { on: 'live' },
    });
  });

  test('is gone once it was to be destroyed and does not show: it is not registered a second time', () => {
    expect(planned({ ...unseen, memory: after('destroy') })).toMatchObject({
      verdict: 'gone',
      removed: true,
    });
    expect(outline({ ...standing, ...later, memory: after('destroy') })).toBe('destroy by volume.delete');
  });

  test('is destroyed also where another volume stands in its place, of which only what is ours is remembered', () => {
    const other = { ...existing, ExternalID: 'vol-9', CreateIndex: 9, Name: 'another' };
    const disk = diskOf(other);
    const ownAfter = (more: Partial<typeof recorded>, found: Given = { retired }) =>
      firstStep({ ...standing, volume: other, memory: after('retire', more), ...found }).own;
    expect(ownAfter({})).toEqual({});
    const { retired: _none, ...unregistered } = standing;
    expect(firstStep({ ...unregistered, ...later, volume: other }).own).toEqual({ previous });
    expect(ownAfter({ identity: 'vol-9 9' })).toEqual({ disk });
    const pending = { op: 'create', token: '', evidence: { name: 'another' } };
    expect(ownAfter({ pending })).toEqual({ disk });
    expect(ownAfter({ pending: { ...pending, evidence: { name: 'mine' } } })).toEqual({});
  });

  test('and is to be kept by now: its last registration goes, the disk stays', () => {
    expect(firstStep({ ...standing, policy: { deletion: 'Retain' } })).toMatchObject({
      verb: 'revive',
      summary: `deregister ${id}, to register its disk as data again`,
    });
    const policy = { deletion: 'Deregister' } as const;
    const step = firstStep({ ...standing, policy });
    expect(step).toMatchObject({
      summary: `deregister ${id}, and keep the disk vol-1`,
      effect: deregister(id),
      intent: { op: 'keep', token: id, evidence: { retired: id } },
    });
    expect(step.own).toEqual({});
    expect(step.destroys).toBeUndefined();
    expect(planned({ ...unseen, ...later, policy })).toMatchObject({ verdict: 'gone' });
  });

  test('and was half gone in an earlier state: somebody else may have it by now, so it is kept', () => {
    const memory = csiVolume.keep(after('delete'));
    const asked = {
      ...deletes,
      volume: 'absent',
      memory: { ...memory, own: parseOwn(memory.own)! },
    } as const;
    expect(planned(asked)).toMatchObject({ verdict: 'gone' });
    const step = firstStep({ ...asked, retired });
    expect([step.effect, step.destroys]).toEqual([deregister(id), undefined]);
    expect(firstStep({ ...asked, deleting: false }).summary).toBe('register vol-1 again');
  });
});
