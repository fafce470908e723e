import { expect, test } from 'vitest';
import type { DeclaredObject } from '../../src/core/resource.ts';
import { suspensionOf, suspensionText } from '../../src/core/suspension.ts';

const object = (more: Partial<DeclaredObject>): DeclaredObject => ({
  key: { kind: 'CSIVolume', namespace: 'shop', name: 'data' },
  uid: 'u',
  generation: 1,
  deleting: false,
  held: false,
  requests: {},
  spec: {},
  ...more,
});
const suspend = { requests: { suspend: 'true' } };
const who = 'ann, 2026-11-20T11:00Z';

test.for([
  {
    why: 'a command of somebody',
    given: object({ ...suspend, byCommand: { suspend: who } }),
    said: `by command (${who}); holdfast resume CSIVolume/shop/data ends it`,
  },
  {
    why: 'a command of whoever',
    given: object({ ...suspend, byCommand: { suspend: '' } }),
    said: 'by command; holdfast resume CSIVolume/shop/data ends it',
  },
  {
    why: 'an annotation, whatever else was asked by command',
    given: object({ ...suspend, byCommand: { rotate: who } }),
    said: 'by annotation holdfast.dev/suspend; removing it ends it',
  },
  {
    why: 'the spec',
    given: object({ spec: { suspend: true } }),
    said: 'by its spec; removing suspend from it ends it',
  },
])('who reads of a suspension reads how it ends: $why', ({ given, said }) => {
  const suspension = suspensionOf(given);
  expect(suspension && suspensionText(suspension, given)).toBe(said);
});

const connection = object({ key: { kind: 'SchedulerConnection', namespace: '', name: 'local' } });

test.for([
  {
    why: 'by a command',
    through: { ...connection, ...suspend, byCommand: { suspend: who } },
    said: `with SchedulerConnection/local, by command (${who}); holdfast resume SchedulerConnection/local ends it`,
  },
  {
    why: 'by an annotation',
    through: { ...connection, ...suspend },
    said: 'with SchedulerConnection/local, by annotation holdfast.dev/suspend; removing it ends it',
  },
])('who reads of an object behind a suspended connection reads what to resume: $why', ({ through, said }) => {
  const suspension = suspensionOf(object({}), through);
  expect(suspension && suspensionText(suspension, object({}))).toBe(said);
});

test('what suspends the object itself is told first: it stays suspended when its connection is resumed', () => {
  const own = object({ spec: { suspend: true } });
  expect(suspensionOf(own, { ...connection, ...suspend })).toEqual({ by: 'spec' });
});

test('a connection that is not suspended suspends nothing', () => {
  expect(suspensionOf(object({}), connection)).toBeUndefined();
});

test.for([
  object({}),
  object({ requests: { suspend: 'false' } }),
  object({ spec: { suspend: false } }),
  object({ spec: undefined }),
])('nothing suspends an object that does not say so: %j', (given) => {
  expect(suspensionOf(given)).toBeUndefined();
});
