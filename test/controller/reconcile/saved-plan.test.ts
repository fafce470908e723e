// A visit asks whether a saved plan holds what it is about to do, before it does it.
import { expect, test } from 'vitest';
import { stalled } from '../../../src/core/planning/plan.ts';
import { indexObject } from '../../../src/controller/index/indexing.ts';
import { reconcile } from '../../../src/controller/reconcile/reconciler.ts';
import { change, name, toy } from './toy.ts';
import { disk, disks } from '../disks.ts';

const refusal = stalled('NotPlanned', 'plan again', { on: 'edit' });

test('a step that the plan does not hold is not made', async () => {
  const { visit, sent } = await toy({ plans: [change({ verb: 'update', effect: 'push' })] });
  const asked: unknown[] = [];
  const visited = await visit({
    beyondPlan({ key }, doing) {
      asked.push([key, doing.verb]);
      return refusal;
    },
  });
  expect(visited?.ending).toEqual({ is: 'blocked', plan: refusal });
  expect([sent(), asked]).toEqual([[], [[name, 'update']]]);
});

test('an object whose leaving the plan does not hold is not let go', async () => {
  const { at, visit } = await toy({
    plans: [{ verdict: 'gone', because: 'nothing is there', removed: true }],
    object: { deleting: true },
  });
  const visited = await visit({ beyondPlan: (_, doing) => (doing.verb === 'release' ? refusal : undefined) });
  expect(visited?.ending).toEqual({ is: 'blocked', plan: refusal });
  expect(at.source.read(name)).toBeDefined();
  expect((await visit({ beyondPlan: () => undefined }))?.ending.is).toBe('gone');
});

test('nothing is taken over that the plan does not hold', async () => {
  const { at, leave, declare } = await disks(['old']);
  leave('old');
  declare('new', { named: 'old' });
  for (const key of at.source.keys()) indexObject(key, at.ports);
  const ports = { ...at.ports, beyondPlan: () => refusal };
  const visited = await reconcile(disk('new'), 0, ports, new AbortController().signal);
  expect(visited?.ending).toEqual({ is: 'blocked', plan: refusal });
  expect(at.source.read(disk('new'))?.status.externalRef).toBeUndefined();
});
