// What a restore drill leaves: nothing of its own, and all that is somebody else's.
import { describe, expect, test } from 'vitest';
import { csiSnapshotSchedule } from '../../../src/kinds/csi-snapshot-schedule/kind.ts';
import { drillName } from '../../../src/kinds/csi-snapshot-schedule/drill-children.ts';
import { drillsShown, restoreVerified } from '../../../src/kinds/csi-snapshot-schedule/drill-report.ts';
import { parseOwn, said as bounded } from '../../../src/kinds/csi-snapshot-schedule/own.ts';
import { begun, checked, drill, every, made, recordedBy, remembering, said } from './drilling.ts';
import { firstStep, planned, type Given } from './situation.ts';

const ended = { ended: true } as const;
const both = [made('CSIVolume', 'ready'), made('AllocationAction', 'ready')];
const hold = { requests: { 'retention-hold': 'to look at it' } };
const takesBoth = 'take away AllocationAction uid-AllocationAction, CSIVolume uid-CSIVolume';
const over = `the drill of ${drill.snapshot} is over`;

describe('a drill that has ended', () => {
  test.each<{ why: string; given: Given; expect: string }>([
    { why: 'takes away all that it made', given: begun({ has: both }, ended), expect: takesBoth },
    {
      why: 'does so while suspended: what was opened is closed',
      given: begun({ has: both, policy: { suspend: true } }, ended),
      expect: takesBoth,
    },
    {
      why: 'does so though no drill is declared any more',
      given: begun({ has: both, spec: {} }, ended),
      expect: takesBoth,
    },
    {
      why: 'does so before its schedule goes',
      given: begun({ has: both, deleting: true }, ended),
      expect: takesBoth,
    },
    {
      why: 'holds its schedule until that is done',
      given: begun({ has: [made('CSIVolume', 'ready', { deleting: true })], deleting: true }, ended),
      expect: 'blocked DeletionBlocked',
    },
    {
      why: 'waits for what is going',
      given: begun({ has: [made('CSIVolume', 'ready', { deleting: true })] }, ended),
      expect: 'in-sync',
    },
    {
      why: 'leaves to a person what that keeps, and takes the rest',
      given: begun({ has: [made('CSIVolume', 'ready', hold), made('AllocationAction', 'ready')] }, ended),
      expect: 'take away AllocationAction uid-AllocationAction',
    },
    {
      why: 'waits while a person keeps it',
      given: begun({ has: [made('CSIVolume', 'ready', hold)] }, ended),
      expect: 'in-sync',
    },
    {
      why: 'leaves what a manifest declares by now',
      given: begun({ has: [made('CSIVolume', 'ready', { origin: 'mine.yaml' })] }, ended),
      expect: over,
    },
    {
      why: 'leaves another volume of the same name',
      given: begun({ has: [made('CSIVolume', 'ready', { uid: 'uid-other' })] }, ended),
      expect: over,
    },
    {
      why: 'leaves what another drill made',
      given: begun({ has: [made('CSIVolume', 'ready', { requests: { drill: 'another time' } })] }, ended),
      expect: over,
    },
    {
      why: 'leaves what has another name, whatever it says of itself',
      given: begun(
        {
          has: [
            made('CSIVolume', 'ready', { key: { kind: 'CSIVolume', namespace: 'shop', name: 'orders' } }),
          ],
        },
        ended,
      ),
      expect: over,
    },
    { why: 'is over once nothing is left', given: begun({}, ended), expect: over },
    {
      why: 'knows first what it made, if it never saw that: only then can it tell it from another',
      given: begun({ has: [made('CSIVolume', 'ready')], policy: { suspend: true } }, { volume: 'x' }),
      expect: `end the drill of ${drill.snapshot}: abandoned`,
    },
  ])('$why', ({ given, expect: outcome }) => {
    expect(said(given)).toBe(outcome);
  });

  test('has what it takes away pass the door, and not expire: its deletionPolicy stays as it is', () => {
    const step = firstStep(begun({ has: both }, ended));
    expect(step).toMatchObject({ verb: 'destroy', destroys: 'data', closes: true });
    expect(step).not.toHaveProperty('expires');
    // Killed right after it, whoever comes back has to know what came of the drill.
    expect(step).toMatchObject({ intent: { op: 'drill' }, noted: { drill: { ended: true } } });
    const { effect } = step;
    expect(effect?.op === 'child.delete' && effect.children.map((child) => Object.keys(child))).toEqual([
      ['key', 'uid'],
      ['key', 'uid'],
    ]);
  });

  test('is not forgotten before', () => {
    expect(recordedBy(begun({ has: both }, ended)).drill).toMatchObject({ name: drill.name });
    expect(recordedBy(begun({}, ended))).not.toHaveProperty('drill');
  });
});

test('the UID of what it made is recorded before anything else', () => {
  const memory = remembering({ drill });
  const recorded = recordedBy({ ...begun({ spec: checked, has: both }), memory });
  expect(recorded.drill).toEqual({ ...drill, volume: 'uid-CSIVolume', check: 'uid-AllocationAction' });
});

const saying = (...args: Parameters<typeof restoreVerified>) =>
  restoreVerified(...args).map(({ status, reason, message }) => `${status} ${reason}: ${message}`);

describe('its schedule', () => {
  const key = { kind: 'CSISnapshotSchedule', namespace: 'shop', name: 'orders' };
  test('names what is to go whatever becomes of it, by UID once that is known', () => {
    expect(csiSnapshotSchedule.throwaways(remembering({}), key)).toEqual([]);
    const open = { ...drill, volume: 'u1' };
    expect(csiSnapshotSchedule.throwaways(remembering({ drill: open }), key)).toEqual([
      { key: { kind: 'CSIVolume', namespace: 'shop', name: drill.name }, uid: 'u1' },
      { key: { kind: 'AllocationAction', namespace: 'shop', name: drill.name } },
    ]);
  });

  test('says whether restores are verified, and that a failure is no success of before', () => {
    const { drill: spec } = every;
    const verified = { snapshot: 's1', at: 't', check: 'Exec' } as const;
    const last = { snapshot: 's2', startedAt: 't', endedAt: 't' };
    expect(saying(undefined, { verified })).toEqual([]);
    expect(saying(spec, {})).toEqual(['Unknown DrillPending: no drill has succeeded or failed yet']);
    expect(saying(spec, { verified })).toEqual([
      'True RestoreVerified: s1 was restored, and the command accepted it',
    ]);
    expect(saying(spec, { verified: { ...verified, check: 'Restored' } })).toEqual([
      'True RestoreVerified: s1 was restored',
    ]);
    const failed = { ...last, result: 'Failed', message: 'why' } as const;
    expect(saying(spec, { verified, drilled: failed, failed })).toEqual(['False DrillFailed: s2: why']);
    const abandoned = { ...last, result: 'Abandoned' } as const;
    expect(saying(spec, { verified, drilled: abandoned })).toEqual([
      'True RestoreVerified: s1 was restored, and the command accepted it',
    ]);
    expect(saying(spec, { verified, drilled: abandoned, failed })).toEqual(['False DrillFailed: s2: why']);
    expect(drillsShown({ drill, drilled: failed, verified })).toEqual({
      lastVerifiedRestore: verified,
      lastDrill: failed,
      drill: { snapshot: drill.snapshot, volume: drill.name, startedAt: drill.startedAt },
    });
  });

  test('rests in between', () => {
    expect(planned({ spec: every })).toMatchObject({ verdict: 'in-sync' });
  });
});

test('what a service says is cut to what can be recorded', () => {
  const message = bounded('x'.repeat(2_000));
  const drilled = { snapshot: 's', startedAt: 't', endedAt: 't', result: 'Failed', message };
  expect(parseOwn({ handled: 't', drilled })).toEqual({ handled: 't', drilled });
});

test('a name fits a DNS label, and long ones stay different from others', () => {
  const nonce = 'n'.repeat(20);
  expect(drillName('orders', nonce)).toBe(`orders-drill-${nonce}`);
  expect(drillName('a'.repeat(36), nonce)).toBe(`${'a'.repeat(36)}-drill-${nonce}`);
  const cut = drillName('a'.repeat(37), nonce);
  expect(cut).toMatch(/^a{27}-[0-9a-z]{8}-drill-n{20}$/);
  expect(cut).toHaveLength(63);
  expect(cut).not.toBe(drillName(`${'a'.repeat(36)}b`, nonce));
});
