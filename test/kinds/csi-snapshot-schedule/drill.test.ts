// Restore drills as CSISnapshotSchedule plans them: when one begins, and what it makes.
import { describe, expect, test } from 'vitest';
import { begun, checked, drill, every, made, ready, remembering, said } from './drilling.ts';
import { firstStep, noon, own, snapshot, type Given } from './situation.ts';

const drilled = (startedAt: string) =>
  remembering({ drilled: { snapshot: drill.snapshot, startedAt, endedAt: startedAt, result: 'Failed' } });

describe('a drill', () => {
  test.each<{ why: string; given: Given; expect: string }>([
    { why: 'begins at once where none was', given: { spec: every, has: [ready] }, expect: 'make CSIVolume' },
    { why: 'is not made where none is declared', given: { has: [ready] }, expect: 'in-sync' },
    {
      why: 'waits for a snapshot that is ready',
      given: { spec: every, has: [snapshot('2026-05-09T03:00:00Z', 'failed')] },
      expect: 'in-sync',
    },
    {
      why: 'does not restore a snapshot that is going',
      given: { spec: every, has: [snapshot('2026-05-09T03:00:00Z', 'ready', { deleting: true })] },
      expect: 'in-sync',
    },
    {
      why: 'counts from the last attempt, also from one that failed',
      given: { spec: every, has: [ready], memory: drilled('2026-05-08T12:00:01Z') },
      expect: 'in-sync',
    },
    {
      why: 'comes when it is time',
      given: { spec: every, has: [ready], memory: drilled('2026-05-08T12:00:00Z') },
      expect: 'make CSIVolume',
    },
    {
      why: 'does not wait for years because the clock was set back',
      given: { spec: every, has: [ready], memory: drilled('2027-05-09T12:00:00Z') },
      expect: 'make CSIVolume',
    },
    {
      why: 'does not begin while suspended',
      given: { spec: every, has: [ready], policy: { suspend: true } },
      expect: 'in-sync',
    },
    {
      why: 'does not begin for a schedule that leaves',
      given: { spec: every, has: [ready], deleting: true },
      expect: 'gone',
    },
    {
      why: 'comes after a run that is due: snapshots do not wait for drills',
      given: { spec: every, has: [ready], now: '2026-05-10T03:00:00Z' },
      expect: 'make CSISnapshot',
    },
    {
      why: 'begins though the volume is gone: then it matters most',
      given: { spec: every, has: [ready], volume: { state: 'missing', message: 'gone' } },
      expect: 'make CSIVolume',
    },
    {
      why: 'does not begin before what expires: what can not be declared must not keep snapshots for ever',
      given: {
        spec: { ...every, retention: { count: 1 } },
        has: [snapshot('2026-05-08T03:00:00Z'), ready],
      },
      expect: 'take away CSISnapshot uid-orders-202605080300',
    },
    {
      why: 'that began goes on before what expires: that may wait for a person',
      given: begun({
        spec: { ...checked, retention: { count: 1 } },
        has: [snapshot('2026-05-08T03:00:00Z'), made('CSIVolume', 'ready')],
      }),
      expect: 'make AllocationAction',
    },
    {
      why: 'keeps its snapshot',
      given: begun({
        spec: { ...every, retention: { maxAge: '1h' } },
        has: [snapshot('2026-05-09T05:00:00Z', 'ready'), made('CSIVolume', 'pending')],
      }),
      expect: 'in-sync',
    },
    {
      why: 'waits for its volume',
      given: begun({ has: [made('CSIVolume', 'pending')] }),
      expect: 'in-sync',
    },
    {
      why: 'does not take a volume for ready that could not be read lately',
      given: begun({ has: [made('CSIVolume', 'unread')] }),
      expect: 'in-sync',
    },
    {
      why: 'makes its volume again where the answer was lost',
      given: begun({}),
      expect: 'make CSIVolume',
    },
    {
      why: 'verifies by the command once the volume is ready',
      given: begun({ spec: checked, has: [made('CSIVolume', 'ready')] }),
      expect: 'make AllocationAction',
    },
    {
      why: 'waits for the command',
      given: begun({ spec: checked, has: [made('CSIVolume', 'ready'), made('AllocationAction', 'pending')] }),
      expect: 'in-sync',
    },
  ])('$why', ({ given, expect: outcome }) => {
    expect(said(given)).toBe(outcome);
  });

  test('is recorded with a drawn name before its volume is declared, which takes over nothing and replaces nothing', () => {
    const step = firstStep({ spec: every, has: [ready] });
    const recorded = { ...own, drill: { ...drill, name: 'orders-drill-', startedAt: noon } };
    expect(step).toMatchObject({ noted: recorded, own: recorded, intent: { op: 'drill' } });
    expect(step.effect).toMatchObject({
      child: {
        key: { kind: 'CSIVolume', namespace: 'shop', name: 'orders-drill-' },
        annotations: {
          'holdfast.dev/generated-by': 'CSISnapshotSchedule/shop/orders',
          'holdfast.dev/drill': noon,
        },
        spec: {
          connectionRef: { name: 'production' },
          pluginID: 'ebs',
          capabilities: [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }],
          create: { capacity: { min: 1_073_741_824 }, snapshotRef: { name: drill.snapshot } },
          managementPolicy: 'Full',
          adoptionPolicy: 'Fail',
          deletionPolicy: 'Delete',
          replacePolicy: 'Never',
        },
      },
    });
  });

  test('has the command name its volume, wherever that asks for it', () => {
    const step = firstStep(begun({ spec: checked, has: [made('CSIVolume', 'ready')] }));
    expect(step.effect).toMatchObject({
      child: {
        key: { kind: 'AllocationAction', name: drill.name },
        spec: {
          selector: { job: 'checks' },
          action: { exec: { task: 'main', command: ['fsck', drill.name, `on=${drill.name}`] } },
        },
      },
    });
  });
});
