// What a snapshot is of, and what it is called: a wrong answer takes the snapshot of another disk, or lets go of one that is
// declared.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { ofAnotherDisk, toldIn } from '../../../src/kinds/csi-snapshot/body.ts';
import { csiSnapshot } from '../../../src/kinds/csi-snapshot/kind.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot/schema.ts';
import { opened } from './observe.ts';
import { declared, key, named, ready, unanswered } from './situation.ts';

const answer = (snapshot: object) => toldIn({ Snapshots: [{ ID: 'snap-1', ...snapshot }] });
const resolved = (more: object = {}) => new Map([['/volumeRef', ready(more)]]);

describe('what a create answers', () => {
  test('tells the disk of it where the plugin does', () => {
    expect(answer({ IsReady: true, ExternalSourceVolumeID: 'vol-1' })).toStrictEqual({
      id: 'snap-1',
      ready: true,
      source: 'vol-1',
    });
  });

  test.for([null, undefined, ''])('tells no disk by %j', (source) => {
    expect(answer({ IsReady: null, ExternalSourceVolumeID: source })).toStrictEqual({
      id: 'snap-1',
      ready: false,
    });
  });
});

describe('a create without an answer', () => {
  const { pending } = unanswered;
  const { disk: _disk, ...untold } = pending?.evidence ?? {};

  test('is of another disk where its volume is on another one by now', () => {
    expect(ofAnotherDisk({ status: unanswered, resolved: resolved() })).toBeUndefined();
    expect(ofAnotherDisk({ status: unanswered, resolved: resolved({ externalID: 'vol-2' }) })).toBe(
      '/volumeRef: the create without a response was of the disk vol-1, and orders is on vol-2 by now',
    );
  });

  test('is of none that is known where none was: it is repeated', () => {
    const status = { ...unanswered, pending: { op: 'create', token: '', evidence: untold } };
    expect(ofAnotherDisk({ status, resolved: resolved() })).toBeUndefined();
  });
});

describe('what it is called without its namespace', () => {
  const ref = { backend: 'b1', namespace: 'default', snapshot: 'shop/nightly' };
  const called = (spec: Spec) => csiSnapshot.unplaced({ key, spec }, ref);

  test('is its external name, else that of the object', () => {
    expect(called(declared)).toMatchObject({ ...ref, snapshot: 'nightly' });
    expect(called({ ...declared, externalName: 'before' })).toMatchObject({ ...ref, snapshot: 'before' });
  });

  test('is nothing for one that is named by its ID, which has no namespace', () => {
    expect(called(named)).toBeUndefined();
  });
});

describe('the data that it names', () => {
  test('is the snapshot of that ID, as far as access gives it', () => {
    expect(opened(named).declaredData(noStatus)).toStrictEqual([
      { name: 'snapshot snap-1 of ebs', ifAllowed: true },
    ]);
  });

  test('is none where it is to be taken', () => {
    expect(opened(declared).declaredData(noStatus)).toStrictEqual([]);
  });
});
