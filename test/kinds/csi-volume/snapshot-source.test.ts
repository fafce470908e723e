// A volume that starts from a snapshot: it waits for that, and a create without an answer is repeated from the same one.
// From another it would be a conflict, and from none an empty disk.
import { describe, expect, test } from 'vitest';
import type { Resolution } from '../../../src/core/resource.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { Own } from '../../../src/kinds/csi-volume/disk.ts';
import { firstStep, outline, planned, sent, type Given } from './situation.ts';

const capacity = { min: '10Gi' };
const spec = { create: { capacity, snapshotRef: { name: 'nightly' } } };
const taken = (snapshotID: string): Resolution => ({
  state: 'ready',
  outputs: { snapshotID, pluginID: 'ebs' },
});
const missing: Resolution = { state: 'missing', message: 'CSISnapshot/shop/nightly does not exist' };
const unready: Resolution = { state: 'waiting', message: 'CSISnapshot/shop/nightly is not ready' };

const nothing: Given = { volume: 'absent', memory: noStatus, spec };
const from = (snapshot: Resolution): Given => ({ ...nothing, snapshot });
const source = (given: Given): unknown => Object(sent(given))['SnapshotID'];
const name = (given: Given): unknown => Object(sent(given))['Name'];

/** What is remembered while this create is under way. */
function during(given: Given, create = 0): Status<Own> {
  const { intent, applied = {} } = firstStep(given);
  if (!intent) throw new Error('no intent');
  return { ...noStatus, applied, pending: intent, tries: { create } };
}

test('is made from the ID that the snapshot tells, which is recorded', () => {
  expect(source(from(taken('snap-1')))).toBe('snap-1');
  expect(firstStep(from(taken('snap-1'))).intent?.evidence).toMatchObject({ snapshot: 'snap-1' });
});

test('so it is from a declared ID', () => {
  const given: Given = { ...nothing, spec: { create: { capacity, snapshotID: 'snap-1' } } };
  expect(source(given)).toBe('snap-1');
  expect(firstStep(given).intent?.evidence).toMatchObject({ snapshot: 'snap-1' });
});

test('from none, none is recorded', () => {
  const given: Given = { ...nothing, spec: { create: { capacity } } };
  expect(Object.keys(firstStep(given).intent?.evidence ?? {})).toEqual(['name']);
  expect(Object.keys(Object(sent(given)))).not.toContain('SnapshotID');
});

test.for([
  { snapshot: missing, message: '/create/snapshotRef: CSISnapshot/shop/nightly does not exist' },
  { snapshot: unready, message: '/create/snapshotRef: CSISnapshot/shop/nightly is not ready' },
  { snapshot: taken(''), message: '/create/snapshotRef: its ID is not known' },
])('nothing is made before that: $message', ({ snapshot, message }) => {
  expect(planned(from(snapshot))).toMatchObject({
    verdict: 'blocked',
    reason: 'DependencyNotReady',
    message,
    wake: { on: 'object' },
  });
});

test('once it stands it needs the snapshot no more', () => {
  for (const snapshot of [missing, unready]) expect(outline({ spec, snapshot })).toBe('in-sync');
});

describe('a create without an answer', () => {
  const first = from(taken('snap-1'));
  const again = (snapshot: Resolution, create = 0): Given => ({
    ...from(snapshot),
    memory: during(first, create),
    nonce: 'n0nce002',
  });

  test.for([
    { why: 'the same snapshot', snapshot: taken('snap-1') },
    { why: 'another one by now', snapshot: taken('snap-2') },
    { why: 'one that is gone by now', snapshot: missing },
    { why: 'one that is not ready by now', snapshot: unready },
  ])('is repeated as it was: $why', ({ snapshot }) => {
    expect(source(again(snapshot))).toBe('snap-1');
    expect(name(again(snapshot))).toBe(name(first));
    expect(firstStep(again(snapshot)).intent?.evidence).toMatchObject({ snapshot: 'snap-1' });
  });

  test('after three failures another snapshot is tried, under another name', () => {
    expect(source(again(taken('snap-2'), 2))).toBe('snap-1');
    expect(source(again(taken('snap-2'), 3))).toBe('snap-2');
    expect(name(again(taken('snap-2'), 3))).not.toBe(name(first));
  });

  test('but none is never tried: that would be an empty disk', () => {
    expect(source(again(missing, 9))).toBe('snap-1');
    const edited = { ...again(missing, 9), spec: { ...spec, pluginID: 'other' } };
    expect(source(edited)).toBe('snap-1');
    expect(name(edited)).toBe(name(first));
  });

  test('is repeated from no snapshot where it was made from none', () => {
    const memory = during({ ...nothing, spec: { create: { capacity } } });
    expect(source({ ...from(taken('snap-1')), memory })).toBeUndefined();
    expect(source({ ...from(missing), memory })).toBeUndefined();
  });

  test('is repeated to delete what it made, also without its snapshot', () => {
    const leaving = { ...again(missing), deleting: true, policy: { deletion: 'Delete' } } as const;
    expect(outline(leaving)).toBe('create by volume.create');
    expect(source(leaving)).toBe('snap-1');
  });
});

test('a replacement that can not be made is not begun', () => {
  const asked: Given = {
    spec: { ...spec, pluginID: 'nfs' },
    policy: { replace: 'WhenUnused', deletion: 'Delete' },
  };
  expect(planned({ ...asked, snapshot: missing })).toMatchObject({
    verdict: 'blocked',
    reason: 'ReplacementBlocked',
    message: '/create/snapshotRef: CSISnapshot/shop/nightly does not exist',
    wake: { on: 'object' },
  });
  expect(outline({ ...asked, snapshot: taken('snap-1') })).toMatch(/^replace by volume.deregister/);
});
