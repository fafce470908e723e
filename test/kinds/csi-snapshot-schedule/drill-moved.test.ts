// `volumeRef` and `connectionRef` may be edited. What drills had proven of the volume before was said of the new one, which was not
// drilled until it was time again; and a drill that was under way went on, its command in the allocations of another scheduler.
import { expect, test } from 'vitest';
import type { Drill, Own } from '../../../src/kinds/csi-snapshot-schedule/own.ts';
import { report } from '../../../src/kinds/csi-snapshot-schedule/report.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot-schedule/schema.ts';
import { begun, checked, drill, every, made, ready, recordedBy, remembering, said } from './drilling.ts';
import { declared, noon, situation, snapshot, type Given } from './situation.ts';

const edits: readonly { readonly what: string; readonly edit: Partial<Spec> }[] = [
  { what: 'another volume', edit: { volumeRef: { name: 'payments' } } },
  { what: 'another connection', edit: { connectionRef: { name: 'staging' } } },
];

/** The newest snapshot of what is declared now. */
const newest = (edit: Partial<Spec>) => {
  const one = snapshot('2026-05-09T03:00:00Z', 'ready', { spec: { ...declared, ...edit } });
  return { ...one, status: { ...one.status, observed: ready.status.observed ?? {} } };
};

/** What a drill leaves in the record, in which it came to this result an hour ago. */
function after(result: 'verified' | 'failed'): Own {
  const has = [made('CSIVolume', result === 'verified' ? 'ready' : 'stalled')];
  const { drill: begins } = recordedBy({ spec: every, has: [ready], now: '2026-05-09T11:00:00Z' });
  const given = begun(
    { now: '2026-05-09T11:00:00Z', has },
    begins?.of === undefined ? {} : { of: begins.of },
  );
  const { drill: _, ...over } = recordedBy(given);
  return over;
}

test.for(edits)('$what was said to be restored, or not to be', ({ edit }) => {
  for (const result of ['verified', 'failed'] as const) {
    const memory = remembering(after(result));
    const told = (spec: Partial<Spec>) => report(situation({ memory, spec: { ...every, ...spec } }));
    const reason = result === 'verified' ? 'RestoreVerified' : 'DrillFailed';
    expect(told({}).conditions).toMatchObject([{ reason }]);
    expect(told(edit).conditions).toMatchObject([{ reason: 'DrillPending' }]);
    expect(told(edit).observed).not.toHaveProperty('lastVerifiedRestore');
    expect(told(edit).unready).toBeUndefined();
  }
});

test.for(edits)('$what was not drilled until it was time again', ({ edit }) => {
  const memory = remembering(after('verified'));
  const given = (spec: Partial<Spec>): Given => ({
    memory,
    spec: { ...every, ...spec },
    has: [newest(spec)],
    now: noon,
  });
  expect(said(given({}))).toBe('in-sync');
  expect(said(given(edit))).toBe('make CSIVolume');
});

const aim = (spec: Partial<Spec>): Partial<Drill> => {
  const { drill: begins } = recordedBy({ spec, has: [ready] });
  return begins?.of === undefined ? {} : { of: begins.of };
};

const restored = (spec: Partial<Spec>) =>
  begun({ spec: { ...checked, ...spec }, has: [made('CSIVolume', 'ready')] }, aim(checked));

test.for(edits)('$what was looked at by a drill of the one before', ({ edit }) => {
  expect(said(restored({}))).toBe('make AllocationAction');
  expect(said(restored(edit))).toBe(`end the drill of ${drill.snapshot}: abandoned`);
});

test('what was recorded before the volume was recorded with it still counts', () => {
  const verified = { snapshot: 's', at: 't', check: 'Restored' } as const;
  const { conditions } = report(situation({ memory: remembering({ verified }), spec: every }));
  expect(conditions).toMatchObject([{ reason: 'RestoreVerified' }]);
  expect(said(begun({ spec: checked, has: [made('CSIVolume', 'ready')] }))).toBe('make AllocationAction');
});
