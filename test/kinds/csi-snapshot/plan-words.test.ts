// What CSISnapshot plans in detail: names, records, bodies, waits and what is said of them.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { want } from '../../../src/kinds/csi-snapshot/body.ts';
import type { Own } from '../../../src/kinds/csi-snapshot/own.ts';
import { plan } from '../../../src/kinds/csi-snapshot/plan.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot/schema.ts';
import { begun, spec as hooked } from './frozen.ts';
import {
  answered,
  declared,
  existing as listed,
  firstStep,
  identity,
  named,
  ofVolume,
  outline,
  own as taken,
  planned,
  ready,
  recorded,
  secret,
  sent,
  situation,
  unanswered,
  withSecrets,
  type Given,
} from './situation.ts';

const absent: Given = { live: 'absent' };
const unlisted: Given = { live: 'unknown' };
const fresh: Given = { ...absent, memory: noStatus };
const gone: Given = {
  resolved: { '/volumeRef': { state: 'missing', message: 'CSIVolume/shop/orders does not exist' } },
};
const unready: Given = { live: { IsReady: false } };
const deletes: Given = { deleting: true, policy: { deletion: 'Delete' } };
const located = { backend: 'b1', namespace: 'default', snapshot: 'ebs/snap-1' };
const existing: Given = { spec: named, memory: noStatus, located };
const refused = { ...unanswered, tries: { 'create to delete': 3 } };

test.for<{ why: string; given: Given; message: string }>([
  {
    why: 'names the reference that it waits for',
    given: { ...fresh, ...gone },
    message: '/volumeRef: CSIVolume/shop/orders does not exist',
  },
  {
    why: 'says where the volume is',
    given: { ...fresh, resolved: { '/volumeRef': ready({ backend: 'b2', namespace: 'other' }) } },
    message: '/volumeRef: the volume is in b2 other, the connection leads to b1 default',
  },
  {
    why: 'names the snapshot that is not there',
    given: { ...existing, ...absent },
    message: '/snapshotID: ebs has no snapshot snap-1',
  },
  {
    why: 'names the snapshot that is worked on',
    given: unready,
    message: 'the plugin still works on snap-1',
  },
  {
    why: 'names the disk that a create without a response was of, and the one that took its place',
    given: { ...absent, memory: unanswered, resolved: { '/volumeRef': ready({ externalID: 'vol-2' }) } },
    message: '/volumeRef: the create without a response was of the disk vol-1, and orders is on vol-2 by now',
  },
])('a wait $why', ({ given, message }) => {
  expect(planned(given)).toMatchObject({ verdict: 'blocked', message });
});

test('a volume that is yet to be made is taken for one of the connection: a dry run knows no more', () => {
  const outputs = { volumeID: '', pluginID: 'ebs' };
  const given: Given = { ...fresh, resolved: { '/volumeRef': { state: 'ready', outputs } } };
  expect(outline(given)).toBe('create by snapshot.create');
  expect(firstStep(given).summary).toBe('take a snapshot of orders');
});

test('a Secret that is not there is a bug of who asked for the plan', () => {
  expect(() => sent({ ...fresh, spec: withSecrets })).toThrow('/secrets/key is not resolved');
});

test.for<{ spec: Spec; paths: readonly string[] }>([
  { spec: declared, paths: ['/volumeRef'] },
  { spec: ofVolume, paths: ['/volumeID', '/pluginID'] },
  { spec: named, paths: ['/snapshotID', '/pluginID'] },
  { spec: { ...declared, parameters: {} }, paths: ['/volumeRef', '/parameters'] },
])('what is recorded as declared: $paths', ({ spec, paths }) => {
  expect(Object.keys(want(spec))).toEqual(paths);
});

test('an identity without a time is one, too', () => {
  const { CreateTime: _time, ...timeless } = listed;
  const memory = { ...recorded, identity: 'snapshot snap-1 of ebs, ' };
  const { observed } = situation({ memory });
  if (observed.state !== 'present') throw new Error('it is there');
  const s = {
    ...situation({ memory }),
    observed: { ...observed, live: { ...observed.live, snapshot: timeless } },
  };
  expect(plan(s)).toMatchObject({ verdict: 'in-sync', identity: memory.identity });
});

test('its name is drawn, and recorded with all that repeating the create needs', () => {
  const step = firstStep(fresh);
  expect(step.summary).toBe('take a snapshot of orders');
  expect(step.intent).toEqual({
    op: 'create',
    token: 'take a snapshot of orders',
    evidence: { name: 'nightly-n1', volume: 'orders', plugin: 'ebs', disk: 'vol-1' },
  });
  expect(step.attempt).toBe('create');
  expect(step.effect).toMatchObject({
    port: 'scheduler',
    op: 'snapshot.create',
    params: { namespace: 'default' },
  });
  expect(step.destroys).toBeUndefined();
  expect(sent(fresh)).toEqual({ SourceVolumeID: 'orders', PluginID: 'ebs', Name: 'nightly-n1' });
});

test('a repeated create is the same one, whatever became of its volume', () => {
  const given = {
    ...absent,
    memory: unanswered,
    resolved: { '/volumeRef': ready({ volumeID: 'x', pluginID: 'y' }) },
  };
  expect(sent(given)).toEqual({ SourceVolumeID: 'orders', PluginID: 'ebs', Name: 'nightly-n0' });
  expect(firstStep(given).intent?.evidence).toEqual(unanswered.pending?.evidence);
});

test('half a record is none: the name of another source would be a conflict', () => {
  const { pending } = unanswered;
  for (const lacks of ['name', 'volume', 'plugin']) {
    const evidence = Object.fromEntries(
      Object.entries(pending?.evidence ?? {}).filter(([name]) => name !== lacks),
    );
    const memory = { ...unanswered, pending: { op: 'create', token: 't', evidence } };
    expect(sent({ ...absent, memory })['Name']).toBe('nightly-n1');
  }
});

test('a name that is too long for CSI is cut, not its nonce', () => {
  const externalName = 'x'.repeat(128);
  expect(sent({ ...fresh, spec: { ...declared, externalName } })['Name']).toBe(`${'x'.repeat(100)}-n1`);
});

test('what was declared goes to the plugin', () => {
  const spec = { ...ofVolume, externalName: 'legacy-1', parameters: { tier: 'cold' } };
  expect(sent({ ...fresh, spec, resolved: {} })).toEqual({
    SourceVolumeID: 'legacy',
    PluginID: 'ebs',
    Name: 'legacy-1-n1',
    Parameters: { tier: 'cold' },
  });
  const resolved = { '/volumeRef': ready(), '/secrets/key': secret };
  expect(sent({ ...fresh, spec: withSecrets, resolved })['Secrets']).toEqual({
    key: secret.state === 'secret' && secret.secret,
  });
});

test('deleting it passes the door for what destroys, by the recorded ID, with its secrets', () => {
  const step = firstStep({ ...deletes, spec: withSecrets, resolved: { '/secrets/key': secret } });
  expect(step).toMatchObject({ destroys: 'data', data: 'snapshot snap-1 of ebs', identity });
  expect(step.intent).toEqual({ op: 'delete', token: 'Delete', evidence: { removed: identity } });
  expect(step.effect).toEqual({
    port: 'scheduler',
    op: 'snapshot.delete',
    params: {
      namespace: 'default',
      plugin_id: 'ebs',
      snapshot_id: 'snap-1',
      secrets: { key: secret.state === 'secret' && secret.secret },
    },
  });
});

test('it is deleted without a Secret that is gone', () => {
  const step = firstStep({ ...deletes, spec: withSecrets, resolved: {} });
  expect(step.effect).toMatchObject({ op: 'snapshot.delete' });
  expect(step.effect).toHaveProperty('params', {
    namespace: 'default',
    plugin_id: 'ebs',
    snapshot_id: 'snap-1',
  });
  expect(step.summary).toBe('delete the snapshot snap-1');
});

test('where nothing is listed it is deleted by the same door', () => {
  expect(firstStep({ ...deletes, ...unlisted, memory: answered })).toMatchObject({
    destroys: 'data',
    data: 'snapshot snap-1 of ebs',
    intent: { op: 'delete' },
  });
});

test('who gives up says which snapshot may stay', () => {
  expect(planned({ ...deletes, ...absent, memory: refused })).toMatchObject({
    because: 'if the create without a response made nightly-n0, that stays',
  });
});

test.for([
  { forMs: 0, inMs: 1_000 },
  { forMs: 1_900, inMs: 1_000 },
  { forMs: 10_000, inMs: 5_000 },
  { forMs: 119_000, inMs: 59_500 },
  { forMs: 3_600_000, inMs: 60_000 },
])('after $forMs ms it is looked at again in $inMs ms', ({ forMs, inMs }) => {
  const nowMs = 5_000_000;
  const found = planned({ ...unready, nowMs, sinceMs: nowMs - forMs });
  expect(found).toMatchObject({ wake: { on: 'time', atMs: nowMs + inMs } });
});

test('each snapshot is waited for from when it was first seen unready', () => {
  const asked: string[] = [];
  plan({ ...situation(unready), since: (what) => asked.push(what) });
  expect(asked).toEqual(['not ready: snap-1']);
});

describe('while a person is needed', () => {
  const own: Own = { ...taken, hooks: { of: begun.of, tries: 1, outcome: 'QuiesceExpired' } };
  const late: Given = { spec: hooked, memory: { ...recorded, own } };
  const stalls = { reason: 'QuiesceExpired', stalls: true, wake: { on: 'edit' } };

  test('it is looked at until it is ready', () => {
    const given = { ...late, ...unready, nowMs: 100_000, sinceMs: 90_000 };
    expect(planned(given)).toMatchObject({ ...stalls, dueMs: 5_000 });
  });

  test('and then whether it is still there', () => {
    expect(planned(late)).toMatchObject({ ...stalls, dueMs: 600_000 });
    const foreign = { memory: { ...recorded, own: { ...taken, source: 'vol-2' } } };
    expect(planned(foreign)).toMatchObject({
      reason: 'VolumeReplaced',
      message: 'snap-1 is of the disk vol-2, and orders was recorded on vol-1 when it was taken',
      stalls: true,
      dueMs: 600_000,
    });
  });
});

test('ours is recorded with the first look at it ready', () => {
  expect(planned({ memory: answered })).toMatchObject({ verdict: 'in-sync', identity, revisitMs: 600_000 });
});

test('adopting names the data, so that it is not taken from another object', () => {
  expect(firstStep({ ...existing, policy: { adoption: 'Adopt' } })).toMatchObject({
    data: 'snapshot snap-1 of ebs',
    identity,
  });
});
