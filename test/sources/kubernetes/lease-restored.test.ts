// A Lease that is older than it was: etcd was put back to an earlier state, and what a process knows is of a later one.
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { KubernetesObject } from '../../../src/api/kubernetes/resources.ts';
import { Lease } from '../../../src/sources/kubernetes/lease.ts';
import { ManualClock } from '../../web/fake-view.ts';

const named = (version: number, holderIdentity: string): KubernetesObject => ({
  metadata: { name: 'holdfast', uid: 'u1', resourceVersion: String(version) },
  spec: { holderIdentity, leaseDurationSeconds: 15 },
});

/** A process that holds the Lease at version 100, and 50 in what the API server says from then on. */
async function leading(standsBy = false) {
  const clock = new ManualClock();
  const restored: string[] = [];
  let writes = 0;
  let stored: KubernetesObject | undefined;
  if (standsBy) stored = named(100, 'other');
  let next = 100;
  const write = async (body: unknown, isConflict: boolean) => {
    if (isConflict) return { is: 'conflict' } as const;
    writes += 1;
    // oxlint-disable-next-line no-unsafe-type-assertion -- the body that the Lease makes
    const { spec = null } = body as KubernetesObject;
    const object: KubernetesObject = Object.assign(named(next++, ''), { spec });
    stored = object;
    return { is: 'done', object } as const;
  };
  const lease = new Lease({
    client: {
      get: async () => stored,
      create: (_of, _namespace, body) => write(body, stored !== undefined),
      replace: (_of, _at, body) => {
        // oxlint-disable-next-line no-unsafe-type-assertion -- the body that the Lease makes
        const { metadata } = body as unknown as KubernetesObject;
        return write(body, metadata.resourceVersion !== stored?.metadata.resourceVersion);
      },
    },
    at: { namespace: 'default', name: 'holdfast' },
    identity: 'me',
    clock,
    wallMs: () => 0,
    random: () => 0.5,
    onChange: () => {},
    trouble: () => {},
    onRestored: (message) => restored.push(message),
  });
  onTestFinished(() => lease.stop(false));
  const pass = async (ms: number) => {
    clock.advance(ms);
    for (let turn = 0; turn < 20; turn++) await setImmediate();
  };
  lease.start();
  await pass(0);
  return {
    lease,
    pass,
    restored,
    writes: () => writes,
    /** @param holder none: there was no Lease yet */
    putBack: (holder?: string) => {
      stored = holder === undefined ? undefined : named(50, holder);
      next = 51;
    },
  };
}

test('its holder says so at the next renewal, and has let go by then: no work of before is sent', async () => {
  const { lease, pass, restored, putBack, writes } = await leading();
  const term = lease.fence();
  const before = writes();
  putBack('me');
  await pass(2_000);
  expect(restored).toEqual([
    'the Lease is at version 50, and was at 100: etcd was put back to an earlier state',
  ]);
  expect([lease.leading, writes()]).toEqual([false, before]);
  await pass(2_000);
  expect(lease.fence()).toBeGreaterThan(term);
  expect(restored).toHaveLength(1);
});

test('who made it after the backup notices by the one that it makes anew', async () => {
  const { lease, pass, restored, putBack } = await leading();
  putBack();
  for (let second = 0; second < 20; second++) await pass(1_000);
  expect(restored).toEqual([
    'the Lease is at version 51, and was at 100: etcd was put back to an earlier state',
  ]);
  expect(lease.leading).toBe(true);
});

test('who stands by notices, too: it would lead with what it knows', async () => {
  const { lease, pass, restored, putBack } = await leading(true);
  putBack('other');
  await pass(2_000);
  expect([restored.length, lease.leading]).toEqual([1, false]);
});

test('a Lease that goes on is none', async () => {
  const { pass, restored, writes } = await leading();
  for (let second = 0; second < 60; second++) await pass(1_000);
  expect([restored, writes() > 10]).toEqual([[], true]);
});
