// An object that is released and that other controllers' finalizers keep: whoever waits for it has to know whom to ask.
import { expect, test } from 'vitest';
import { conclusionOf, keptBy, withoutPending } from '../../../src/controller/reconcile/conclusion.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import type { Handle } from '../../../src/core/source/source.ts';
import { disk, disks } from '../disks.ts';

test('it names the finalizers, and says of nothing that it is still under way', () => {
  const key = { kind: 'Toy', namespace: 'shop', name: 'x' };
  const object = { key, uid: 'u', generation: 2, deleting: true, held: false, requests: {}, spec: {} };
  const pending = { op: 'destroy', token: 'destroy x' };
  const status = withoutPending({ ...noStatus, pending });
  const ending = keptBy(['example.com/a', 'example.com/b']);
  const found = { done: [], report: undefined, absent: true, failures: 1 };
  const ports = { nowMs: () => 0, wallMs: () => 0, random: () => 0, kinds: new Map() };
  const said = conclusionOf(object, { ending, status, ...found }, ports).status;
  const ready = said.conditions.find(({ type }) => type === 'Ready');
  expect(said).not.toHaveProperty('pending');
  expect(ready).toMatchObject({
    status: 'False',
    reason: 'DeletionBlocked',
    message: 'all is done here; kept by the finalizer of another controller: example.com/a, example.com/b',
  });
});

/** A disk that leaves, and whose release ends like this. */
async function leaving(release: Handle['release']) {
  const { at, leave } = await disks(['a', 'b']);
  leave('a');
  const handle = at.source.open(disk('a'));
  if (!handle) throw new Error('it was declared');
  handle.release = release;
  at.source.open = () => handle;
  const ready = () =>
    at.source.read(disk('a'))?.status.conditions.find(({ type }) => type === 'Ready')?.reason;
  return { visit: () => at.visit(disk('a')), ready };
}

test('a release that is refused is told: the status said further what it had waited for before', async () => {
  const { visit, ready } = await leaving(() =>
    Promise.reject(new ApiError('refused', 'PermissionDenied', 'disks.patch: forbidden')),
  );
  const visited = await visit();
  expect(visited?.ending).toMatchObject({ is: 'failed', error: { reason: 'PermissionDenied' } });
  expect(visited?.requeueMs).toBeGreaterThan(0);
  expect(ready()).toBe('PermissionDenied');
});

test('one that got no answer is left to the next visit: nothing can be written then either', async () => {
  const error = new ApiError('unavailable', 'ClusterUnavailable', 'disks.patch: 503');
  const { visit, ready } = await leaving(() => Promise.reject(error));
  const before = ready();
  await expect(visit()).rejects.toBe(error);
  expect(ready()).toBe(before);
});

test('its status says so after its visit: else it would say for ever that it is being deleted here', async () => {
  const { at, leave } = await disks(['a', 'b']);
  leave('a');
  const handle = at.source.open(disk('a'));
  if (!handle) throw new Error('it was declared');
  handle.release = () => Promise.resolve(['example.com/a']);
  at.source.open = () => handle;
  expect((await at.visit(disk('a')))?.ending.is).toBe('gone');
  const status = at.source.read(disk('a'))?.status;
  expect(status).not.toHaveProperty('pending');
  expect(status?.conditions.find(({ type }) => type === 'Ready')).toMatchObject({
    reason: 'DeletionBlocked',
    message: 'all is done here; kept by the finalizer of another controller: example.com/a',
  });
});
