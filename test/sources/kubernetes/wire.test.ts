// What an object of the API server means, whoever wrote it.
import { describe, expect, test } from 'vitest';
import { SpecError } from '../../../src/core/errors.ts';
import type { Json } from '../../../src/core/secret.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import {
  decode,
  recentDeletionsOf,
  finalizer,
  intentAnnotation,
  isNewer,
  statusBody,
  type Stored,
} from '../../../src/sources/kubernetes/wire.ts';
import { sent, type Sent } from './objects.ts';

const small = (_: string, spec: unknown): SpecError | undefined =>
  JSON.stringify(spec).includes('999') ? new SpecError('/spec/size', 'less', '999') : undefined;
const decoded = (as: Sent, before?: Stored): Stored => decode(sent(as), 'Disk', before, small);

const intended: Status = { ...noStatus, pending: { op: 'create', token: 'nonce' } };
const written: Status = { ...noStatus, identity: 'disk-1' };
const intent = (fields: Json, version = 1): Sent => ({
  version,
  annotations: { 'holdfast.dev/intent': typeof fields === 'string' ? fields : JSON.stringify(fields) },
});
const record = { id: 'i1', uid: 'u1', status: { ...intended } };

test('labels and the time of creation are for people who look, and are left out where there are none', () => {
  const raw = sent({ version: 1 });
  const labels = { team: 'shop' };
  const metadata = { ...raw.metadata, labels, creationTimestamp: '2026-11-22T10:00:00Z' };
  const { object } = decode({ ...raw, metadata }, 'Disk', undefined, small);
  expect(object).toMatchObject({ labels, createdAt: '2026-11-22T10:00:00Z' });
  const { labels: _labels, creationTimestamp: _at, ...bare } = metadata;
  const without = decode({ ...raw, metadata: bare }, 'Disk', undefined, small).object;
  expect(Object.keys(without)).not.toEqual(expect.arrayContaining(['labels']));
  expect(Object.keys(without)).not.toEqual(expect.arrayContaining(['createdAt']));
});

describe('the status of an object', () => {
  test.for<{ why: string; as: Sent; is: Status }>([
    { why: 'is none where there is none', as: { version: 1 }, is: noStatus },
    {
      why: 'is none as a cluster writes it into a new object: no generation was observed',
      as: { version: 1, status: { observedGeneration: -1 } },
      is: noStatus,
    },
    {
      why: 'is filled up where another tool has stripped its empty fields',
      as: { version: 1, status: { identity: 'disk-1', observedGeneration: 3 } },
      is: { ...written, observedGeneration: 3 },
    },
    {
      why: 'keeps the field of a newer version: that one is back after an upgrade',
      as: { version: 1, status: { identity: 'disk-1', novelty: { a: 1 } } },
      is: { ...written, novelty: { a: 1 } } as Status,
    },
    {
      why: 'is none where it can’t be read',
      as: { version: 1, status: { identity: 'disk-1', conditions: 'all well' } },
      is: noStatus,
    },
    {
      why: 'is none where it is that of another object: a copy with its status destroyed the disk of the first',
      as: { version: 1, status: { uid: 'u0', identity: 'disk-1', externalRef: { name: 'disk-1' } } },
      is: noStatus,
    },
    {
      why: 'is none where it does not say whose it is',
      as: { version: 1, status: { uid: null, identity: 'disk-1' } },
      is: noStatus,
    },
    { why: 'is none where it is no map', as: { version: 1, status: ['disk-1'] }, is: noStatus },
    {
      why: 'has nothing of what this source adds to it',
      as: { version: 1, status: { identity: 'disk-1', intent: 'i0', approved: 'a', recentDeletions: [] } },
      is: written,
    },
    {
      why: 'is the recorded intent before a status was written: the first write is the annotation',
      as: { ...intent(record), status: { observedGeneration: -1 } },
      is: intended,
    },
    {
      why: 'is the recorded intent after the status was stripped: it knows the name of the disk',
      as: intent(record),
      is: intended,
    },
    {
      why: 'is the recorded intent where the status includes an earlier one',
      as: { ...intent(record), status: { identity: 'disk-1', intent: 'i0' } },
      is: intended,
    },
    {
      why: 'is the status once that includes the intent',
      as: { ...intent(record), status: { identity: 'disk-1', intent: 'i1' } },
      is: written,
    },
    {
      why: 'is the recorded intent where the status that includes it can’t be read any more',
      as: { ...intent(record), status: { intent: 'i1', conditions: 'all well' } },
      is: intended,
    },
    {
      why: 'is the status where the intent is of another object: annotations are copied with manifests',
      as: { ...intent({ ...record, uid: 'u0' }), status: { identity: 'disk-1' } },
      is: written,
    },
    {
      why: 'is the status where the intent is no JSON',
      as: { ...intent('{"id":'), status: { identity: 'disk-1' } },
      is: written,
    },
    {
      why: 'is the status where the intent has no ID',
      as: { ...intent({ uid: 'u1', status: { ...intended } }), status: { identity: 'disk-1' } },
      is: written,
    },
    {
      why: 'is the status where that of the intent can’t be read: it knows more than nothing',
      as: { ...intent({ ...record, status: { conditions: 1 } }), status: { identity: 'disk-1' } },
      is: written,
    },
  ])('$why', ({ as, is }) => {
    expect(decoded(as).status).toEqual(is);
  });

  test('comes back as it was written, with the intent that it includes', () => {
    const before = decoded(intent(record));
    const body = statusBody(written, before, 'going');
    const more = { observedGeneration: -1, uid: 'u1', intent: 'i1', approved: 'going' };
    expect(body).toStrictEqual({ ...written, ...more });
    const after = decoded({ ...intent(record, 2), status: body }, before);
    expect([after.status, after.approved]).toEqual([written, 'going']);
    const copy = decoded({ version: 3, uid: 'u2', status: body }, after);
    expect([copy.status, copy.approved]).toEqual([noStatus, undefined]);
  });

  test('is written without what there is not: the API server would refuse it', () => {
    const body = statusBody(noStatus, decoded({ version: 1 }), undefined);
    expect(body).toStrictEqual({ ...noStatus, observedGeneration: -1, uid: 'u1' });
  });

  test('keeps the recentDeletions that are stored with it, and nothing of them that is none', () => {
    const at = '2026-01-01T00:00:00Z';
    const recentDeletions = [{ key: 'Disk/shop/a', at }];
    const none = [{ key: 1, at }, { key: 'Disk/shop/b' }, { key: 'Disk/shop/c', at: 2 }, { at }, null, 'x'];
    const before = decoded({ version: 1, status: { recentDeletions: [...recentDeletions, ...none] } });
    expect(recentDeletionsOf(before.wire)).toEqual(recentDeletions);
    expect(statusBody(written, before, undefined)).toMatchObject({ recentDeletions });
    expect([recentDeletionsOf(undefined), recentDeletionsOf({ recentDeletions: 'none' })]).toEqual([[], []]);
  });
});

describe('an object', () => {
  test('is what was sent, and nothing besides', () => {
    const { object, ...stored } = decoded({ version: 7 });
    expect(object).toStrictEqual({
      key: { kind: 'Disk', namespace: 'shop', name: 'data' },
      uid: 'u1',
      generation: 1,
      deleting: false,
      held: false,
      requests: {},
      spec: { size: 1 },
    });
    expect(stored).toStrictEqual({ status: noStatus, resourceVersion: '7', finalizers: [], wire: undefined });
    expect(decoded({ version: 8 }, { object, ...stored }).object).toStrictEqual(object);
  });

  test('of a connection has no namespace', () => {
    const { metadata, ...rest } = sent({ version: 1 });
    const { namespace: _, ...cluster } = metadata;
    const { object } = decode({ ...rest, metadata: cluster }, 'Disk', undefined, small);
    expect(object.key).toEqual({ kind: 'Disk', namespace: '', name: 'data' });
  });
});

const ofLength = (length: number) =>
  decoded({ version: 1, annotations: { 'holdfast.dev/rotate': 'x'.repeat(length) } }).object.problem;

describe('what is asked of an object', () => {
  test('is every annotation of ours but the intent and the approval', () => {
    const annotations = {
      'holdfast.dev/rotate': 't1',
      'holdfast.dev/constructor': 't2',
      'holdfast.dev/intent': '{}',
      'holdfast.dev/approve': 'digest',
      'holdfast.dev/': 'nothing',
      'example.com/rotate': 't3',
    };
    const { object, approves } = decoded({ version: 1, annotations });
    expect(object.requests).toEqual({ rotate: 't1', constructor: 't2' });
    expect(approves).toBe('digest');
  });

  test('is the same value until it changes', () => {
    const first = decoded({ version: 1, annotations: { 'holdfast.dev/rotate': 't1' } });
    const second = decoded({ version: 2, annotations: { 'holdfast.dev/rotate': 't1' } }, first);
    expect(second.object.requests).toBe(first.object.requests);
    const third = decoded({ version: 3, annotations: { 'holdfast.dev/rotate': 't2' } }, second);
    expect(third.object.requests).toEqual({ rotate: 't2' });
  });

  test('is a problem of the object where it is too long to be remembered', () => {
    expect(ofLength(1_024)).toBeUndefined();
    expect(ofLength(1_025)).toMatchObject({
      path: '/metadata/annotations/holdfast.dev~1rotate',
      expected: 'at most 1024 characters',
      got: '1025',
    });
  });

  test('is no problem any more once it is short enough', () => {
    const long = decoded({ version: 1, annotations: { 'holdfast.dev/rotate': 'x'.repeat(1_025) } });
    const short = decoded({ version: 2, annotations: { 'holdfast.dev/rotate': 'x' } }, long);
    expect(short.object.problem).toBeUndefined();
  });

  test('is what stands there now, whatever was taken away or changed', () => {
    const both = { 'holdfast.dev/rotate': 't1', 'holdfast.dev/suspend': 't2' };
    const first = decoded({ version: 1, annotations: both });
    const second = decoded({ version: 2, annotations: { ...both, 'holdfast.dev/suspend': 't3' } }, first);
    expect(second.object.requests).toEqual({ rotate: 't1', suspend: 't3' });
    const third = decoded({ version: 3, annotations: { 'holdfast.dev/rotate': 't1' } }, second);
    expect(third.object.requests).toEqual({ rotate: 't1' });
  });
});

describe('the spec of an object', () => {
  test('is none where it was never valid', () => {
    const { object } = decoded({ version: 1, spec: { size: 999 } });
    expect(object).toMatchObject({ spec: undefined, refused: true, problem: { path: '/spec/size' } });
  });

  test('is the last that was valid, with the problem of the new one', () => {
    const first = decoded({ version: 1 });
    const second = decoded({ version: 2, generation: 2, spec: { size: 999 } }, first);
    expect(second.object).toMatchObject({ generation: 2, refused: true, problem: { path: '/spec/size' } });
    expect(second.object.spec).toBe(first.object.spec);
    const third = decoded({ version: 3, generation: 2, spec: { size: 999 } }, second); // a status was written
    expect(third.object).toMatchObject({ refused: true, problem: { path: '/spec/size' } });
    const fourth = decoded({ version: 4, generation: 3, spec: { size: 2 } }, third);
    expect(fourth.object).toMatchObject({ spec: { size: 2 } });
    expect([fourth.object.problem, fourth.object.refused]).toEqual([undefined, undefined]);
  });

  test('is not that of the object before with its name', () => {
    const first = decoded({ version: 1 });
    const { object } = decoded({ version: 2, uid: 'u2', spec: { size: 999 } }, first);
    expect(object.spec).toBeUndefined();
    expect(decoded({ version: 2, uid: 'u2', spec: { size: 2 } }, first).object.spec).toEqual({ size: 2 });
  });

  test('stays one value for as long as UID and generation do: each visit would parse it again', () => {
    const first = decoded({ version: 1 });
    expect(decoded({ version: 2, status: { identity: 'x' } }, first).object.spec).toBe(first.object.spec);
    expect(decoded({ version: 3, generation: 2 }, first).object.spec).not.toBe(first.object.spec);
  });
});

const heldBy = (uid: string) => ({ [intentAnnotation]: JSON.stringify({ id: 'i', uid }) });
const isHeld = (as: Omit<Sent, 'version'>) => decoded({ version: 1, ...as }).object.held;

test('an object is held by our finalizer and the annotation of its own UID: backups bring both along', () => {
  const other = 'example.com/other';
  expect(isHeld({})).toBe(false);
  expect(isHeld({ finalizers: [other], annotations: heldBy('u1') })).toBe(false);
  expect(isHeld({ finalizers: [finalizer] })).toBe(false);
  expect(isHeld({ finalizers: [finalizer], annotations: heldBy('another') })).toBe(false);
  const noID = { [intentAnnotation]: JSON.stringify({ uid: 'u1' }) };
  expect(isHeld({ finalizers: [finalizer], annotations: noID })).toBe(false);
  expect(isHeld({ finalizers: [other, 'holdfast.dev/finalizer'], annotations: heldBy('u1') })).toBe(true);
});

test('an object is to be deleted from its date on', () => {
  expect(decoded({ version: 1 }).object.deleting).toBe(false);
  expect(decoded({ version: 1, deletionTimestamp: 'now' }).object.deleting).toBe(true);
});

test.for<[string, string, boolean]>([
  ['2', '1', true],
  ['1', '2', false],
  ['7', '7', false],
  ['10', '9', true],
  ['9', '10', false],
  ['100000000000000000001', '100000000000000000000', true],
  ['99999999999999999999', '100000000000000000000', false],
])('version %s is newer than %s: %s', ([a, b, is]) => {
  expect(isNewer(a, b)).toBe(is);
});
