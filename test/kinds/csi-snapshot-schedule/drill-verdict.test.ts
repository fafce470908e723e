// What restore drills come to: a success only where something was seen to be good, and a failure whatever kept it from that.
import { describe, expect, test } from 'vitest';
import { begun, checked, drill, every, made, ready, recordedBy, remembering } from './drilling.ts';
import { noon, type Given } from './situation.ts';

const all = (state: Parameters<typeof made>[1], more = {}) => [
  made('CSIVolume', 'ready'),
  made('AllocationAction', state, more),
];

describe('what a drill comes to', () => {
  const late = '2026-05-09T12:30:00Z';
  test.each<{ why: string; given: Given; result: string; message?: string }>([
    {
      why: 'is a success once the volume is ready, where nothing else is asked for',
      given: begun({ has: [made('CSIVolume', 'ready')] }),
      result: 'Verified',
    },
    {
      why: 'is a success once the command has succeeded',
      given: begun({ spec: checked, has: all('ready') }),
      result: 'Verified',
    },
    {
      why: 'is a failure when the command has failed',
      given: begun({ spec: checked, has: all('stalled') }),
      result: 'Failed',
      message: '/drill/verify: AdoptionRefused: why',
    },
    {
      why: 'is a failure when the command was taken away',
      given: begun({ spec: checked, has: [made('CSIVolume', 'ready')] }, { check: 'uid-AllocationAction' }),
      result: 'Failed',
      message: 'the check was taken away by somebody else',
    },
    {
      why: 'is a failure when the command is being deleted',
      given: begun({ spec: checked, has: all('pending', { deleting: true }) }),
      result: 'Failed',
      message: '/drill/verify: ServerError: why',
    },
    {
      why: 'is a failure when the volume can not be made',
      given: begun({ has: [made('CSIVolume', 'stalled')] }),
      result: 'Failed',
      message: 'the restored volume: AdoptionRefused: why',
    },
    {
      why: 'is a failure when the provider reports a problem with the volume',
      given: begun({ has: [made('CSIVolume', 'abnormal')] }),
      result: 'Failed',
      message: 'the restored volume: VolumeConditionAbnormal: why',
    },
    {
      why: 'is a failure when the volume is being deleted by another',
      given: begun({ has: [made('CSIVolume', 'ready', { deleting: true })] }),
      result: 'Failed',
      message: 'the restored volume was deleted by somebody else',
    },
    {
      why: 'is a failure when the volume is gone: it is not made a second time',
      given: begun({}, { volume: 'uid-CSIVolume' }),
      result: 'Failed',
      message: 'the restored volume was taken away by somebody else',
    },
    {
      why: 'is a failure when it takes too long to restore',
      given: begun({ now: late, has: [made('CSIVolume', 'pending')] }),
      result: 'Failed',
      message: '/drill/timeout: not done within 1h: the restored volume: ServerError: why',
    },
    {
      why: 'is a failure when it could not even begin in time',
      given: begun({ now: late }),
      result: 'Failed',
      message: `/drill/timeout: not done within 1h: ${drill.snapshot} was not restored`,
    },
    {
      why: 'is a failure when the check takes too long',
      given: begun({ now: late, spec: checked, has: all('pending') }),
      result: 'Failed',
      message: '/drill/timeout: not done within 1h: the check: ServerError: why',
    },
    {
      why: 'is a failure when there was no time left to check',
      given: begun({ now: late, spec: checked, has: [made('CSIVolume', 'ready')] }),
      result: 'Failed',
      message: '/drill/timeout: not done within 1h: it was not verified',
    },
    {
      why: 'is a failure by the clock of the process, though the date was set back',
      given: begun({
        now: '2026-05-09T04:00:00Z',
        spec: { drill: { every: '24h', timeout: '1s' } },
        has: [made('CSIVolume', 'pending')],
      }),
      result: 'Failed',
      message: '/drill/timeout: not done within 1s: the restored volume: ServerError: why',
    },
    {
      why: 'is a failure when the size of the snapshot is not known',
      given: { spec: every, has: [{ ...ready, status: { ...ready.status, observed: { pluginID: 'ebs' } } }] },
      result: 'Failed',
      message: `the plugin does not tell the size of ${drill.snapshot}: set drill.volume.capacity`,
    },
    {
      why: 'says nothing when it is suspended',
      given: begun({ policy: { suspend: true }, has: [made('CSIVolume', 'ready')] }),
      result: 'Abandoned',
    },
    {
      why: 'says nothing when drills are not declared any more',
      given: begun({ spec: {}, has: [made('CSIVolume', 'ready')] }),
      result: 'Abandoned',
    },
    {
      why: 'says nothing when the schedule leaves',
      given: begun({ deleting: true, has: [made('CSIVolume', 'ready')] }),
      result: 'Abandoned',
    },
  ])('$why', ({ given, result, message }) => {
    const before = { snapshot: 's0', startedAt: noon, endedAt: noon, result: 'Failed' } as const;
    const memory = remembering({ ...given.memory?.own, failed: before });
    const recorded = recordedBy({ ...given, memory });
    // An abandoned drill proves nothing, so it does not hide that the one before failed.
    const failed = { Verified: undefined, Failed: recorded.drilled, Abandoned: before }[result];
    expect(recorded.failed).toEqual(failed);
    expect(recorded.drill).toMatchObject({ ended: true });
    expect(recorded.drilled).toEqual({
      snapshot: drill.snapshot,
      startedAt: recorded.drill?.startedAt,
      endedAt: given.now ?? noon,
      result,
      ...(message !== undefined && { message }),
      ...(recorded.drill?.of !== undefined && { of: 'orders on production' }),
    });
    expect(recorded.verified !== undefined).toBe(result === 'Verified');
  });

  test('names how it was verified: a restore that nobody looked into is not called more', () => {
    const plain = begun({ has: [made('CSIVolume', 'ready')] });
    expect(recordedBy(plain).verified).toEqual({ snapshot: drill.snapshot, at: noon, check: 'Restored' });
    const exec = begun({ spec: checked, has: all('ready') });
    expect(recordedBy(exec).verified).toMatchObject({ check: 'Exec' });
  });

  test('keeps what the last good one said when it fails', () => {
    const verified = { snapshot: 'orders-1', at: '2026-05-01T00:00:00Z', check: 'Exec' } as const;
    const given = begun({ has: [made('CSIVolume', 'stalled')] }, {}, { verified });
    expect(recordedBy(given)).toMatchObject({ verified, drilled: { result: 'Failed' } });
  });
});
