// How a volume goes whose disk is to stay: nothing is destroyed, and what brings it back is known.
import { describe, expect, test } from 'vitest';
import { after, deregister, previous } from './going.ts';
import { firstStep, planned, recorded, type Given } from './situation.ts';

const { retired: _, ...kept } = previous;

describe('a volume that goes while its disk stays', () => {
  const keeps: Given = { deleting: true, policy: { deletion: 'Deregister' } };

  test('loses its registration only, and what brings it back is known', () => {
    const step = firstStep(keeps);
    expect(step).toMatchObject({
      summary: 'deregister data, keep the disk',
      effect: deregister('data'),
      destroys: 'registration',
    });
    expect([step.own, step.data]).toEqual([{ previous: kept }, undefined]);
    expect(step.noted).toEqual({ ...recorded.own, previous: kept });
    expect(step.effect).toEqual(deregister('data'));
  });

  test('is forced away from who claims it where a person asked for that', () => {
    const forced = firstStep({ ...keeps, requests: { 'force-release': 'x' } });
    expect(forced.effect).toEqual(deregister('data', { force: true }));
  });

  test('is gone then: nothing is registered to be destroyed', () => {
    const memory = after('delete', { own: { previous: kept } });
    for (const deletion of ['Deregister', 'Delete'] as const)
      expect(planned({ deleting: true, policy: { deletion }, volume: 'absent', memory })).toMatchObject({
        verdict: 'gone',
      });
  });
});
