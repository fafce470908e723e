// What a look at a snapshot asks, and what is recorded of what it finds.
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot/schema.ts';
import { outlineOf } from '../outline.ts';
import { spec as frozenBy } from './frozen.ts';
import { observe, type Around } from './observe.ts';
import {
  answered,
  declared,
  existing,
  identity,
  named,
  own,
  ready,
  recorded,
  reply,
  secret,
  told,
  unanswered,
  withSecrets,
} from './situation.ts';

const taking = async () => {
  const { seen, plan } = await observe({ memory: noStatus });
  if (plan.verdict !== 'change') throw new Error(outlineOf(plan));
  return { seen, step: plan.steps[0] };
};

const starting = (healthy: number) => ({
  ID: 'ebs',
  ControllersExpected: 2,
  ControllersHealthy: healthy,
});

describe('what is asked', () => {
  test('is no list before it is taken', async () => {
    for (const memory of [noStatus, unanswered]) {
      const { asked, plan } = await observe({ memory });
      expect([asked, outlineOf(plan)]).toEqual([[], 'create by snapshot.create']);
    }
  });

  test.for<{ why: string; around: Around }>([
    { why: 'a plugin that the service does not know', around: { plugins: [] } },
    {
      why: 'a plugin that never has a controller',
      around: { plugins: [{ ID: 'ebs', ControllersExpected: 0 }] },
    },
    {
      why: 'another plugin that only just starts',
      around: { plugins: [{ ID: 'nfs', ControllersExpected: 1 }] },
    },
    { why: 'a plugin with one healthy controller of two', around: { plugins: [starting(1)] } },
  ])('$why is for the service to judge', async ({ around }) => {
    const { plan } = await observe({ memory: noStatus, ...around });
    expect(outlineOf(plan)).toBe('create by snapshot.create');
  });

  test('waits for a plugin that only just starts, before anything is frozen', async () => {
    for (const spec of [declared, frozenBy])
      for (const plugins of [[starting(0)], [{ ID: 'ebs', ControllersExpected: 2 }]])
        await expect(observe({ spec, memory: noStatus, plugins })).rejects.toMatchObject({
          class: 'waiting',
          reason: 'PluginUnhealthy',
          message: expect.stringContaining('plugin ebs: controllers 0/2 healthy'),
        });
  });

  test('does not wait where nothing is to be taken', async () => {
    const unasked = { memory: noStatus, plugins: 'not asked' } as const;
    expect(outlineOf((await observe({ ...unasked, deleting: true })).plan)).toBe('gone kept');
    const observed = await observe({ ...unasked, spec: { ...declared, managementPolicy: 'ObserveOnly' } });
    expect(outlineOf(observed.plan)).toBe('blocked ExternalNotFound until live');
    const paused = await observe({ ...unasked, spec: { ...declared, suspend: true } });
    expect(outlineOf(paused.plan)).toBe('create by snapshot.create'); // which the engine holds back, and says why
    const resolved = { '/volumeRef': { state: 'missing', message: 'it does not exist' } } as const;
    expect(outlineOf((await observe({ ...unasked, resolved })).plan)).toBe(
      'blocked DependencyNotReady until object',
    );
  });

  test('is the list of its plugin, whatever the volume has by now', async () => {
    const { asked } = await observe({ resolved: { '/volumeRef': ready({ pluginID: 'other' }) } });
    expect(asked).toEqual([{ namespace: 'default', plugin_id: 'ebs', per_page: 0 }]);
  });

  test('is the list of the declared plugin, where the snapshot exists already', async () => {
    const { asked, plan } = await observe({ spec: { ...named, adoptionPolicy: 'Adopt' }, memory: noStatus });
    expect(asked).toEqual([{ namespace: 'default', plugin_id: 'ebs', per_page: 0 }]);
    expect(outlineOf(plan)).toBe('adopt');
  });

  test('is asked with its secrets, where they are there', async () => {
    const resolved = { '/volumeRef': ready(), '/secrets/key': secret };
    const { asked } = await observe({ spec: withSecrets, resolved });
    expect(asked).toMatchObject([{ secrets: { key: secret.state === 'secret' && secret.secret } }]);
    const leaving = await observe({ spec: withSecrets, deleting: true });
    expect(leaving.asked[0]).not.toHaveProperty('secrets');
    await expect(observe({ spec: withSecrets })).rejects.toThrow('/secrets/key is not resolved');
  });
});

describe('what is found', () => {
  const deletes: Spec = { ...declared, deletionPolicy: 'Delete' };

  test.for<{ why: string; around: Around; expect: string }>([
    { why: 'as recorded', around: {}, expect: 'in-sync' },
    { why: 'gone', around: { listed: [] }, expect: 'stalled ExternalObjectLost until live' },
    {
      why: 'another one of its ID',
      around: { listed: [{ ...existing, CreateTime: 5 }] },
      expect: 'stalled ExternalObjectLost until live',
    },
    {
      why: 'one of its ID without a time',
      around: { listed: [{ ...existing, CreateTime: undefined }] },
      expect: 'stalled ExternalObjectLost until live',
    },
    {
      why: 'its time is known only once it is ready',
      around: { memory: answered, listed: [{ ...existing, CreateTime: 5 }] },
      expect: 'in-sync',
    },
    {
      why: 'deleted by its ID though no list shows it',
      around: { spec: deletes, deleting: true, listed: [] },
      expect: 'delete by snapshot.delete',
    },
    {
      why: 'never, though another one has its ID',
      around: { spec: deletes, deleting: true, listed: [{ ...existing, CreateTime: 5 }] },
      expect: 'gone removed',
    },
    {
      why: 'not adopted, so nothing is deleted',
      around: {
        spec: { ...named, deletionPolicy: 'Delete' },
        memory: noStatus,
        deleting: true,
        listed: [],
      },
      expect: 'gone removed',
    },
    { why: 'the plugin can not list', around: { listed: 'incapable' }, expect: 'in-sync' },
  ])('$why: $expect', async ({ around, expect: outcome }) => {
    expect(outlineOf((await observe(around)).plan)).toBe(outcome);
  });

  test('is recorded once it is ready, with its time', async () => {
    const { seen, plan } = await observe({ memory: answered });
    if (plan.verdict !== 'in-sync') throw new Error(outlineOf(plan));
    expect(seen.afterRest(plan)).toMatchObject({ own, identity });
    const { pending } = seen.afterRest(plan);
    expect(pending).toBeUndefined();
  });

  test('is recorded without a volume where it was adopted', async () => {
    const spec: Spec = { ...named, adoptionPolicy: 'Adopt' };
    const { seen, plan } = await observe({ spec, memory: noStatus });
    if (plan.verdict !== 'change') throw new Error(outlineOf(plan));
    const { volumeID: _volume, disk: _disk, ...rest } = own;
    expect(seen.afterStep(plan.steps[0]).own).toEqual(rest);
    const unready = await observe({ spec, memory: noStatus, listed: [{ ...existing, IsReady: false }] });
    if (unready.plan.verdict !== 'change') throw new Error(outlineOf(plan));
    const { takenAt: _time, ...untimed } = rest;
    expect(unready.seen.afterStep(unready.plan.steps[0]).own).toEqual({ ...untimed, ready: false });
  });

  test('keeps what was recorded while nothing is listed', async () => {
    const { seen, plan } = await observe({ memory: recorded, listed: 'incapable' });
    if (plan.verdict !== 'in-sync') throw new Error(outlineOf(plan));
    expect(seen.afterRest(plan).own).toEqual(own);
  });

  test('has no time where none is told', async () => {
    const { CreateTime: _time, ...timeless } = existing;
    const { seen, plan } = await observe({ memory: answered, listed: [timeless] });
    if (plan.verdict !== 'in-sync') throw new Error(outlineOf(plan));
    expect(seen.afterRest(plan).own).toMatchObject({ takenAt: 0 });
    expect(seen.report().observed).not.toHaveProperty('takenAt');
    const later = { ...recorded, own: { ...own, takenAt: 0 } };
    expect(outlineOf((await observe({ memory: later, listed: [timeless] })).plan)).not.toMatch(/Lost/);
  });
});

describe('what a create tells', () => {
  test('is recorded at once: nothing else finds it again', async () => {
    const { seen, step } = await taking();
    expect(seen.afterStep(step, reply()).own).toEqual({ ...told, ready: true });
    expect(seen.afterStep(step, reply({ IsReady: false })).own).toEqual(told);
    expect(seen.afterStep(step, reply({ IsReady: null })).own).toEqual(told);
  });

  test.for([
    {},
    null,
    'snap-1',
    { Snapshots: null },
    { Snapshots: [] },
    { Snapshots: [{ ID: '' }] },
    { Snapshots: [{ ID: 'x'.repeat(1_025) }] },
    { Snapshots: [{ ID: 'a' }, { ID: 'b' }] },
    { Snapshots: [{ ID: 'a', IsReady: 'yes' }] },
  ])('counts as lost where it names no snapshot: %j', async (answer) => {
    const { seen, step } = await taking();
    const lost = new ApiError(
      'unreadable',
      'InvalidResponse',
      'snapshot.create: the answer names no snapshot',
    );
    expect(() => seen.afterStep(step, answer)).toThrow(lost);
  });

  test('is asked of a create only', async () => {
    const { seen, plan } = await observe({ spec: { ...declared, deletionPolicy: 'Delete' }, deleting: true });
    if (plan.verdict !== 'change') throw new Error(outlineOf(plan));
    expect(seen.afterStep(plan.steps[0], {}).own).toBeUndefined();
  });
});
